// What a page does beyond being read: the theme, the menu, copying code, and the search. Without it, pages are whole.
"use strict";
const root = document.currentScript.dataset.root;

// The theme is that of the system until somebody chooses. Storage may be forbidden.
const stored = { get() { try { return localStorage.theme; } catch { return null; } }, set(v) { try { localStorage.theme = v; } catch { } } };
if (stored.get()) document.documentElement.dataset.theme = stored.get();

document.addEventListener("DOMContentLoaded", () => {
  const byId = id => document.getElementById(id);

  byId("site-theme").onclick = () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    stored.set(document.documentElement.dataset.theme = dark ? "light" : "dark");
  };
  byId("site-menu").onclick = () => byId("site-menu").setAttribute("aria-expanded", byId("site-navigation").classList.toggle("open"));
  document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "center" });

  for (const h of document.querySelectorAll("main h2[id], main h3[id]")) {
    const a = Object.assign(document.createElement("a"), { className: "self", href: "#" + h.id, textContent: "#" });
    a.setAttribute("aria-label", "Link to this part");
    h.append(a);
  }

  // Of a session only the commands are copied.
  for (const block of document.querySelectorAll(".code")) {
    const button = Object.assign(document.createElement("button"), { className: "copy", textContent: "Copy", type: "button" });
    button.onclick = async () => {
      const commands = [...block.querySelectorAll(".command")].map(c => c.textContent).join("");
      await navigator.clipboard.writeText(commands || block.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    };
    block.append(button);
  }

  // Where the reader is, in the outline.
  const outline = new Map([...document.querySelectorAll("aside a")].map(a => [decodeURIComponent(a.hash.slice(1)), a]));
  const seen = new IntersectionObserver(entries => {
    for (const e of entries) {
      if (!e.isIntersecting || !outline.has(e.target.id)) continue;
      for (const a of outline.values()) a.classList.toggle("here", a === outline.get(e.target.id));
    }
  }, { rootMargin: "-60px 0px -75% 0px" });
  for (const h of document.querySelectorAll("main h2[id], main h3[id]")) seen.observe(h);

  search(byId("site-search"), byId("site-results"));
});

// search finds parts of pages that have all words. The index is loaded when it is first needed, as a script, which
// browsers also load for a page that is a file.
function search(input, results) {
  let loaded;
  const load = () => loaded ??= new Promise(done => {
    const s = Object.assign(document.createElement("script"), { src: root + "index.js", onload: done });
    document.head.append(s);
  });

  const show = async () => {
    await load();
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    results.replaceChildren();
    results.hidden = words.length === 0;
    if (!words.length) return;
    const found = searchIndex.map(e => ({ e, score: score(e, words) })).filter(f => f.score > 0).sort((a, b) => b.score - a.score).slice(0, 15);
    for (const { e } of found) results.append(item(e, words));
    if (!found.length) results.append(Object.assign(document.createElement("p"), { textContent: "Nothing found" }));
  };

  input.addEventListener("focus", load);
  input.addEventListener("input", show);
  document.addEventListener("keydown", e => {
    const links = [...results.querySelectorAll("a")], at = links.indexOf(document.activeElement);
    if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { e.preventDefault(); input.focus(); input.select(); }
    else if (e.key === "Escape") { results.hidden = true; input.blur(); }
    else if (e.key === "Enter" && document.activeElement === input && links[0]) links[0].click();
    else if (e.key === "ArrowDown" && (at >= 0 || document.activeElement === input)) { e.preventDefault(); links[Math.min(at + 1, links.length - 1)]?.focus(); }
    else if (e.key === "ArrowUp" && at >= 0) { e.preventDefault(); (links[at - 1] ?? input).focus(); }
  });
  document.addEventListener("click", e => { if (!e.target.closest("search") || e.target.closest("#site-results a")) results.hidden = true; });

  // A search can be linked to: index.html?q=matrix
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) { input.value = asked; show(); }
}

// score is 0 unless all words are there. Titles count more than text, whole words more than beginnings, and these more
// than other parts of words.
function score(e, words) {
  const page = e.p.toLowerCase(), heading = (e.h ?? "").toLowerCase(), text = e.t.toLowerCase();
  let sum = 0;
  for (const w of words) {
    const quoted = w.replace(/[^a-z0-9]/g, "\\$&");
    const whole = new RegExp("(^|[^a-z0-9])" + quoted + "($|[^a-z0-9])"), begins = new RegExp("(^|[^a-z0-9])" + quoted);
    const fits = where => whole.test(where) ? 4 : begins.test(where) ? 2 : where.includes(w) ? .5 : 0;
    const one = 10 * fits(heading) + 3 * fits(page) + fits(text);
    if (!one) return 0;
    sum += one;
  }
  return sum;
}

function item(e, words) {
  const li = document.createElement("li"), a = document.createElement("a");
  a.href = root + e.a;
  const title = document.createElement("b"), text = document.createElement("small");
  title.textContent = e.h ? e.h : e.p;
  const at = Math.max(0, Math.min(...words.map(w => { const i = e.t.toLowerCase().indexOf(w); return i < 0 ? Infinity : i; })) - 40);
  const cut = e.t.slice(Number.isFinite(at) ? at : 0, (Number.isFinite(at) ? at : 0) + 160);
  // Text becomes text: nothing of the index is taken as markup.
  const pattern = new RegExp("(" + words.map(w => w.replace(/[^a-z0-9]/g, "\\$&")).join("|") + ")", "i");
  for (const piece of cut.split(pattern)) {
    text.append(words.includes(piece.toLowerCase()) ? Object.assign(document.createElement("mark"), { textContent: piece }) : piece);
  }
  if (e.h) title.append(Object.assign(document.createElement("small"), { textContent: e.p }));
  a.append(title, text);
  li.append(a);
  return li;
}
