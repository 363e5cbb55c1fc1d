"use strict";
// Everything can be read without this script. It shows rows when somebody gets there, makes
// what is below their line when they are opened, finds them, and steps through the versions
// of an object.
(() => {
  const $ = (id) => document.getElementById(id);
  const list = $("rows");
  const [words, lines] = JSON.parse($("lines").textContent);
  const rows = lines.map(([id, outcome, look, name, note, by, took, micros, part, section, open, ...also]) => ({
    id, section: words[section], outcome: words[outcome], look: words[look], name, note: words[note], by: words[by], took: words[took], micros, part, open: Boolean(open), outcomes: [outcome, ...also].map((w) => words[w]), element: null, at: 0,
    line: `${words[outcome]}\n${name}\n${words[note]}`.toLowerCase(),
  }));
  let shown = rows;

  // A part is HTML that was escaped when it was made, or a list of parts before it. They are
  // further down in the page, and read when they are needed first.
  let parts = null;
  const later = [];
  const whole = (what) => {
    if (document.readyState === "loading") {
      later.push(what);
      return false;
    }
    parts ||= JSON.parse($("parts").textContent);
    return true;
  };
  document.addEventListener("DOMContentLoaded", () => setTimeout(() => later.forEach((what) => what())));
  const html = (part) => (typeof parts[part] === "string" ? parts[part] : parts[part].map(html).join(""));

  // The line of a row is what the template makes, too.
  const make = (row) => {
    const li = document.createElement("li");
    li.className = "row";
    li.id = row.id;
    const details = li.appendChild(document.createElement("details"));
    const summary = details.appendChild(document.createElement("summary"));
    for (const [look, text] of [["badge b-" + row.look, row.outcome], ["name", row.name], ["note", row.note], ["took", row.took]]) {
      const span = summary.appendChild(document.createElement("span"));
      span.className = look;
      span.textContent = text;
    }
    return li;
  };
  // What the rows below are, where there are several sorts.
  const heading = (text) => {
    const li = document.createElement("li");
    li.className = "section";
    li.appendChild(document.createElement("h2")).textContent = text;
    return li;
  };
  const own = (row, li) => {
    row.element = li;
    if (row.open) open(row, true);
  };
  const fill = (row) => {
    const details = row.element.firstElementChild;
    if (details.lastElementChild.localName === "noscript") details.lastElementChild.remove();
    let body = details.querySelector(":scope > .body");
    if (body && body.dataset.ready) return;
    if (!body) {
      if (!whole(() => fill(row))) return;
      body = document.createElement("div");
      body.className = "body";
      body.innerHTML = html(row.part);
      details.append(body);
    }
    body.dataset.ready = "1";
    for (const o of body.querySelectorAll(".evolution")) steps(o);
  };
  const open = (row, is) => {
    if (is) fill(row);
    row.element.firstElementChild.open = is;
  };

  // The object: one listing of all lines that ever were, and a choice of the version to see.
  const steps = (section) => {
    const choices = Array.from(section.querySelectorAll(".versions > li"));
    if (!choices.length) return;
    const listing = section.querySelector("pre"), pieces = Array.from(listing.children);
    const group = section.querySelector(".versions");
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", "Version of the object");
    const all = document.createElement("li");
    all.textContent = "all at once";
    all.className = "all";
    group.append(all);
    choices.push(all);
    const choose = (chosen, focus) => {
      choices.forEach((c, i) => {
        c.setAttribute("aria-checked", String(i === chosen));
        c.tabIndex = i === chosen ? 0 : -1;
      });
      if (focus) choices[chosen].focus();
      const any = choices[chosen] === all;
      for (const p of pieces) {
        const born = Number(p.dataset.b), died = Number(p.dataset.d || 0);
        p.classList.toggle("off", !any && (born > chosen || (died > 0 && died < chosen)));
        p.classList.toggle("old", !any && (chosen === 0 || (born !== chosen && died !== chosen)));
      }
      const changed = !any && pieces.find((p) => !p.matches(".off, .old, span"));
      listing.scrollTop = changed ? listing.scrollTop + changed.getBoundingClientRect().top - listing.getBoundingClientRect().top - 60 : 0;
    };
    choices.forEach((c, i) => {
      c.setAttribute("role", "radio");
      c.addEventListener("click", () => choose(i, false));
      c.addEventListener("keydown", (e) => {
        const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
        if (by) choose((i + by + choices.length) % choices.length, true);
        else if (e.key === " " || e.key === "Enter") choose(i, true);
        else return;
        e.preventDefault();
        e.stopPropagation();
      });
    });
    choose(choices.length - 1, false);
  };

  // Rows stand in chunks. One that nobody has come near to is as high as its rows will be,
  // and empty.
  const most = 100;
  let chunks = [], height = 0;
  const build = (chunk) => {
    if (chunk.built) return;
    chunk.built = true;
    coming.unobserve(chunk.element);
    const from = chunk.from;
    chunk.element.append(...shown.slice(from, from + most).flatMap((row, i) => {
      if (!row.element) own(row, make(row));
      row.at = from + i;
      const before = shown[row.at - 1];
      return row.section && row.section !== before?.section ? [heading(row.section), row.element] : [row.element];
    }));
    chunk.element.style.height = "";
  };
  const coming = new IntersectionObserver((entries) => {
    for (const e of entries) if (e.isIntersecting) build(chunks.find((c) => c.element === e.target));
  }, { rootMargin: "1500px" });
  const show = (fitting) => {
    if (fitting.length === shown.length && fitting.every((row, i) => row === shown[i])) return;
    shown = fitting;
    coming.disconnect();
    chunks = [];
    for (let from = 0; from < shown.length; from += most) chunks.push({ from, element: document.createElement("ol"), built: false });
    reserve(chunks);
    if (chunks.length) build(chunks[0]);
    list.replaceChildren(...chunks.map((c) => c.element));
  };
  const reserve = (some) => {
    for (const c of some) {
      c.element.style.height = height * Math.min(most, shown.length - c.from) + "px";
      coming.observe(c.element);
    }
  };
  // What a row that is shown is in, built.
  const reach = (row) => {
    build(chunks[Math.floor(shown.indexOf(row) / most)]);
    return row.element;
  };

  // The first rows are there already.
  const first = { from: 0, element: list.firstElementChild, built: true };
  const there = Array.from(first.element.querySelectorAll(":scope > .row"));
  there.forEach((li, i) => {
    rows[i].at = i;
    own(rows[i], li);
  });
  const line = list.querySelector("details:not([open])") || list.querySelector("summary");
  chunks = [first];
  for (let from = there.length; from < rows.length; from += most) chunks.push({ from, element: document.createElement("ol"), built: false });
  if (chunks.length > 1) {
    height = line.parentElement.getBoundingClientRect().height;
    reserve(chunks.slice(1));
    list.append(...chunks.slice(1).map((c) => c.element));
  }
  const byElement = (li) => li && rows.find((row) => row.element === li);
  // A click comes before the row is open: so it never is open and empty.
  list.addEventListener("click", (e) => {
    const summary = e.target.closest("summary");
    const row = summary && byElement(summary.parentElement.parentElement);
    if (row) fill(row);
  });
  list.addEventListener("toggle", (e) => {
    const row = e.target.open && byElement(e.target.parentElement);
    if (row) fill(row);
  }, true);
  addEventListener("beforeprint", () => chunks.forEach(build));

  const tools = $("tools");
  if (!tools) return;
  tools.hidden = false;
  document.documentElement.classList.add("scripted");
  const search = $("search"), by = $("by"), sort = $("sort"), chips = Array.from(tools.querySelectorAll("[data-outcome]"));

  if (by) {
    for (const name of Array.from(new Set(rows.map((row) => row.by))).filter(Boolean).sort()) {
      const option = document.createElement("option");
      option.value = option.textContent = name;
      by.append(option);
    }
  }

  // All texts stand one behind the other, each once, so that one look finds a word in all of
  // them. Lists have it whose parts have it.
  let texts = "", starts = null;
  const entities = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'" };
  const index = () => {
    if (starts) return;
    const all = [];
    starts = new Uint32Array(parts.length + 1);
    let at = 0;
    parts.forEach((part, i) => {
      starts[i] = at;
      if (typeof part !== "string") return;
      const text = part.replace(/<[^>]*>/g, " ").replace(/&(?:amp|lt|gt|#34|#39);/g, (e) => entities[e]).toLowerCase() + "\n";
      all.push(text);
      at += text.length;
    });
    starts[parts.length] = at;
    texts = all.join("");
  };
  const found = new Map();
  const find = (word) => {
    if (found.has(word)) return found.get(word);
    if (!whole(filter)) return [];
    index();
    const has = new Uint8Array(parts.length);
    let part = 0;
    for (let at = texts.indexOf(word); at >= 0; at = texts.indexOf(word, starts[part])) {
      while (starts[part + 1] <= at) part++;
      has[part++] = 1;
    }
    parts.forEach((list, i) => {
      if (typeof list !== "string" && list.some((child) => has[child])) has[i] = 1;
    });
    if (found.size > 20) found.clear();
    found.set(word, has);
    return has;
  };
  const ahead = () => whole(ahead) && (window.requestIdleCallback || setTimeout)(index);
  ahead();

  const noun = (n) => `${n} ${list.dataset.noun}${n === 1 ? "" : "s"}`;
  // How many are not about many.
  const single = (some) => some.filter((row) => row.section !== (list.dataset.groups || null)).length;
  let order = rows;
  const filter = () => {
    const asked = search.value.toLowerCase().split(/\s+/).filter(Boolean).map((word) => [word, find(word)]);
    const outcomes = new Set(chips.filter((c) => c.getAttribute("aria-pressed") === "true").map((c) => c.dataset.outcome));
    const fitting = order.filter((row) => (!outcomes.size || row.outcomes.some((o) => outcomes.has(o))) && (!by || !by.value || row.by === by.value) &&
      asked.every(([word, has]) => has[row.part] || row.line.includes(word)));
    show(fitting);
    const n = single(fitting), all = single(rows);
    $("count").textContent = n === all ? noun(n) : `${n} of ${noun(all)}`;
    $("none").hidden = fitting.length > 0;
  };
  const clear = () => {
    search.value = "";
    if (by) by.value = "";
    for (const c of chips) c.setAttribute("aria-pressed", "false");
    filter();
  };
  search.addEventListener("input", filter);
  if (by) by.addEventListener("change", filter);
  for (const c of chips) c.addEventListener("click", () => {
    c.setAttribute("aria-pressed", String(c.getAttribute("aria-pressed") !== "true"));
    filter();
  });
  $("clear").addEventListener("click", () => { clear(); search.focus(); });
  sort.addEventListener("change", () => {
    order = rows.slice();
    const compare = { slow: (a, b) => b.micros - a.micros, name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) }[sort.value];
    const sections = Array.from(new Set(rows.map((row) => row.section)));
    if (compare) order.sort((a, b) => sections.indexOf(a.section) - sections.indexOf(b.section) || compare(a, b));
    filter();
  });
  $("expand").addEventListener("click", () => {
    const some = shown.slice(0, 200);
    some.forEach(reach);
    const closed = some.some((row) => !row.element.firstElementChild.open);
    for (const row of some) open(row, closed);
    $("expand").textContent = closed ? "close all shown" : "open all shown";
  });

  const follow = () => {
    const row = rows.find((r) => "#" + r.id === location.hash);
    if (!row) return;
    if (!shown.includes(row)) clear();
    reach(row);
    open(row, true);
    row.element.scrollIntoView();
  };
  addEventListener("hashchange", follow);

  document.addEventListener("keydown", (e) => {
    const typing = e.target.matches("input, select, textarea");
    if (e.key === "Escape") {
      clear();
      if (typing) e.target.blur();
      return;
    }
    if (typing && !(e.target === search && (e.key === "ArrowDown" || e.key === "Enter")) || e.ctrlKey || e.metaKey || e.altKey) return;
    const move = (step) => {
      const here = byElement(document.activeElement.closest(".row"));
      const next = shown[Math.max(0, Math.min(here ? here.at + step : 0, shown.length - 1))];
      if (next) reach(next).querySelector("summary").focus();
    };
    if (e.key === "/") search.focus();
    else if (e.key === "j" || e.target === search) move(1);
    else if (e.key === "k") move(-1);
    else return;
    e.preventDefault();
  });

  const url = new URLSearchParams(location.search);
  if (url.get("q")) search.value = url.get("q");
  filter();
  follow();
})();
