// Talk: an answer's words as they come, each on a stream of its own that ends with it.
const saying = document.getElementById("saying");
const session = document.getElementById("session");

// Where nobody is named the words become a command; else an agent answers.
saying.addEventListener("htmx:configRequest", (event) => {
  if (!event.detail.parameters.who) event.detail.path = `/books/${saying.dataset.book}/talk`;
});
saying.addEventListener("change", (event) => { if (event.target.name === "who") session.value = ""; });
document.body.addEventListener("htmx:afterSwap", () => {
  for (const place of document.querySelectorAll("[data-stream]:not([data-heard])")) follow(place);
});
document.body.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.elt !== saying || event.detail.xhr.status !== 200) return; // what was refused can be said again
  document.getElementById("words-of-yours").value = "";
});

function follow(place) {
  place.dataset.heard = "1";
  session.value = place.dataset.session;
  const source = new EventSource(`${place.dataset.stream}/live`);
  const end = () => { source.close(); htmx.ajax("GET", place.dataset.stream, { target: place, swap: "outerHTML" }); };
  source.onmessage = (event) => {
    const news = JSON.parse(event.data);
    if (news.done) return end();
    place.querySelector("[data-words]").textContent = news.text;
  };
  source.onerror = end;
}
