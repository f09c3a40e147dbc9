// Files of the person's own machine: a text read into its field, a picture sent along with what is asked for.
const tokenOf = () => document.querySelector("meta[name=studio-token]").content;
for (const input of document.querySelectorAll("[data-text-of]")) {
  input.addEventListener("change", async () => {
    if (!input.files.length) return;
    const field = document.getElementById(input.dataset.textOf);
    field.value = await input.files[0].text();
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}
for (const button of document.querySelectorAll("[data-send]")) {
  button.addEventListener("click", async () => {
    const input = document.getElementById(button.dataset.send);
    if (!input.files.length) { input.click(); return; }
    const file = input.files[0];
    const answer = await fetch(`${button.dataset.to}?name=${encodeURIComponent(file.name)}`, {
      method: "POST", body: file, headers: { "X-Studio-Token": tokenOf(), "HX-Request": "true" },
    });
    const place = document.getElementById(answer.ok && button.dataset.into || "notices");
    if (answer.ok && !button.dataset.into) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = button.dataset.as;
      link.click();
      URL.revokeObjectURL(link.href);
      return;
    }
    document.getElementById("notices").replaceChildren();
    place.innerHTML = await answer.text();
    htmx.process(place);
  });
}
