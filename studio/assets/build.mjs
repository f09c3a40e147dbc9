// Makes studio/static/vendor anew: `npm install --no-package-lock && npm run build` in this folder. Node is needed for this alone.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const vendor = join(import.meta.dirname, "..", "static", "vendor");

const made = await build({
  entryPoints: ["editor.js"], outfile: join(vendor, "editor.js"), bundle: true, minify: true, format: "iife",
  target: "es2022", legalComments: "none", metafile: true,
});
copyFileSync("node_modules/htmx.org/dist/htmx.min.js", join(vendor, "htmx.js"));
copyFileSync("node_modules/idiomorph/dist/idiomorph-ext.min.js", join(vendor, "idiomorph.js"));

const bundled = Object.keys(made.metafile.inputs).filter((path) => path.startsWith("node_modules/"));
const names = new Set(["htmx.org", "idiomorph"]);
for (const path of bundled) {
  const [first, second] = path.split("/").slice(1);
  names.add(first.startsWith("@") ? `${first}/${second}` : first);
}
const licences = [...names].sort().map((name) => {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : ""}\n`;
});
writeFileSync(join(vendor, "LICENCES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));

const sums = readdirSync(vendor).filter((name) => name !== "SHA256SUMS").sort()
  .map((name) => `${createHash("sha256").update(readFileSync(join(vendor, name))).digest("hex")}  ${name}\n`);
writeFileSync(join(vendor, "SHA256SUMS"), sums.join(""));
