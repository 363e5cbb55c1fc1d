"use strict";
// Everything can be read without this script. It makes rows part of the page when they are
// opened, finds them, and steps through the versions of an object.
(() => {
  const $ = (id) => document.getElementById(id);
  const list = $("rows");
  const rows = Array.from(list.children);
  let order = rows;

  // What is below the line of a row is in a noscript, as text; it was escaped when it was made.
  const fill = (row) => {
    const details = row.firstElementChild;
    const hidden = details.querySelector(":scope > noscript");
    if (!hidden) return;
    const made = document.createElement("template");
    made.innerHTML = hidden.textContent;
    hidden.replaceWith(made.content);
    for (const o of details.querySelectorAll(".evolution")) steps(o);
  };
  // A word is looked for in that text as it stands there: escaped, and not inside of a tag.
  const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;", "+": "&#43;" };
  const patterns = (words) => words.map((w) => ({
    shown: new RegExp(w.replace(/[.*+?^${}()|[\]\\\/]/g, "\\$&"), "i"),
    hidden: new RegExp(w.replace(/[&<>"'+]/g, (c) => escapes[c]).replace(/[.*+?^${}()|[\]\\\/]/g, "\\$&") + "(?![^<>]*>)", "i"),
  }));
  const has = (row, pattern) => {
    const details = row.firstElementChild;
    if (pattern.shown.test(details.firstElementChild.textContent)) return true;
    const below = details.lastElementChild;
    return below.localName === "noscript" ? pattern.hidden.test(below.firstChild.data) : pattern.shown.test(below.textContent);
  };

  // The object: one listing of all lines that ever were, and a choice of the version to see.
  const steps = (section) => {
    const choices = Array.from(section.querySelectorAll(".versions > li"));
    if (!choices.length) return;
    const parts = Array.from(section.querySelector("pre").children);
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
      for (const p of parts) {
        const born = Number(p.dataset.b), died = Number(p.dataset.d || 0);
        const any = choices[chosen] === all;
        p.classList.toggle("off", !any && (born > chosen || (died > 0 && died < chosen)));
        p.classList.toggle("old", !any && (chosen === 0 || (born !== chosen && died !== chosen)));
      }
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

  document.addEventListener("toggle", (e) => {
    const row = e.target.parentElement;
    if (e.target.open && row && row.classList.contains("row")) fill(row);
  }, true);
  for (const row of list.querySelectorAll(".row > details[open]")) fill(row.parentElement);
  if (rows.length === 1) {
    rows[0].firstElementChild.open = true;
    fill(rows[0]);
  }
  const follow = () => {
    const row = rows.find((r) => "#" + r.id === location.hash);
    if (row) {
      fill(row);
      row.firstElementChild.open = true;
      row.scrollIntoView();
    }
  };
  addEventListener("hashchange", follow);
  follow();

  const tools = $("tools");
  if (!tools) return;
  tools.hidden = false;
  $("keys").hidden = false;
  const search = $("search"), by = $("by"), sort = $("sort"), chips = Array.from(tools.querySelectorAll("[data-outcome]"));

  if (by) {
    const deniers = new Set();
    for (const row of rows) if (row.dataset.by) deniers.add(row.dataset.by);
    for (const name of Array.from(deniers).sort()) {
      const option = document.createElement("option");
      option.value = option.textContent = name;
      by.append(option);
    }
  }

  const noun = (n) => `${n} ${list.dataset.noun}${n === 1 ? "" : "s"}`;
  const filter = () => {
    const words = patterns(search.value.split(/\s+/).filter(Boolean));
    const outcomes = new Set(chips.filter((c) => c.getAttribute("aria-pressed") === "true").map((c) => c.dataset.outcome));
    // Rows that do not fit are taken out: hiding thousands of them takes a browser far longer.
    const fitting = order.filter((row) => (!outcomes.size || outcomes.has(row.dataset.o)) && (!by || !by.value || row.dataset.by === by.value) &&
      words.every((w) => has(row, w)));
    const n = fitting.length;
    if (n !== list.children.length || fitting.some((row, i) => row !== list.children[i])) list.replaceChildren(...fitting);
    $("count").textContent = n === rows.length ? noun(n) : `${n} of ${noun(rows.length)}`;
    $("none").hidden = n > 0;
  };
  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    if (rows.length > 1000) waiting = setTimeout(filter, 150);
    else filter();
  };
  const clear = () => {
    search.value = "";
    if (by) by.value = "";
    for (const c of chips) c.setAttribute("aria-pressed", "false");
    filter();
  };
  search.addEventListener("input", soon);
  if (by) by.addEventListener("change", filter);
  for (const c of chips) c.addEventListener("click", () => {
    c.setAttribute("aria-pressed", String(c.getAttribute("aria-pressed") !== "true"));
    filter();
  });
  $("clear").addEventListener("click", () => { clear(); search.focus(); });
  sort.addEventListener("change", () => {
    const name = (row) => row.querySelector(".name").textContent;
    const sorted = rows.slice();
    if (sort.value === "slow") sorted.sort((a, b) => b.dataset.t - a.dataset.t);
    if (sort.value === "name") {
      const names = new Map(sorted.map((row) => [row, name(row)]));
      sorted.sort((a, b) => (names.get(a) < names.get(b) ? -1 : 1));
    }
    order = sorted;
    filter();
  });
  $("expand").addEventListener("click", () => {
    const shown = Array.from(list.children).slice(0, 200);
    const open = shown.some((row) => !row.firstElementChild.open);
    for (const row of shown) {
      if (open) fill(row);
      row.firstElementChild.open = open;
    }
    $("expand").textContent = open ? "close all shown" : "open all shown";
  });

  document.addEventListener("keydown", (e) => {
    const typing = e.target.matches("input, select, textarea");
    if (e.key === "Escape") {
      clear();
      if (typing) e.target.blur();
      return;
    }
    if (typing && !(e.target === search && (e.key === "ArrowDown" || e.key === "Enter")) || e.ctrlKey || e.metaKey || e.altKey) return;
    const move = (step) => {
      const shown = Array.from(list.children);
      const here = document.activeElement.closest(".row");
      const at = here ? shown.indexOf(here) + step : 0;
      const next = shown[Math.max(0, Math.min(at, shown.length - 1))];
      if (next) next.querySelector("summary").focus();
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
})();
