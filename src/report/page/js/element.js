"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Elements of the page. Names of threads, commands and functions are untrusted: they become text
 * nodes and values of attributes that hold no code, and never HTML.
 */

/*
 * Makes an element. A property "on..." is a listener, any other one an attribute; null, undefined
 * and false add none.
 */
function element(tag, properties, ...children) {
	return elementFill(document.createElement(tag), properties, children);
}

function elementFill(node, properties, children) {
	for (const [name, value] of Object.entries(properties ?? {})) {
		if (name.startsWith("on"))
			node.addEventListener(name.slice(2), value);
		else if (value !== null && value !== undefined && value !== false)
			node.setAttribute(name, value === true ? "" : value);
	}
	node.append(...children.flat(Infinity).filter(
		(child) => child !== null && child !== undefined));
	return node;
}

function svgElement(tag, properties, ...children) {
	return elementFill(
		document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

/* Makes a chart of these pixels. `label` describes it for screen readers. */
function svgChart(width, height, label) {
	return svgElement("svg", {
		class: "chart",
		viewBox: `0 0 ${width} ${height}`,
		width,
		height,
		role: "img",
		"aria-label": label,
	});
}

/* The panels that show the brushed range; all others say that they show the whole run. */
const panelsOfRange = ["cpus", "threads", "longest", "ready", "flame"];

/* Makes a section of the page, which answers the question. */
function panel(id, title, question, ...children) {
	const scope = panelsOfRange.includes(id)
		? null
		: element("span", {class: "scope"}, "of the whole run");
	return element("section", {class: "panel", id, "aria-labelledby": `${id}-title`},
		element("header", null, element("h2", {id: `${id}-title`}, title),
			element("span", {class: "question"}, question), scope),
		...children);
}

/* Makes a column for each recording, with its name at the top if there are two. */
function panelColumns(recordings, fill) {
	return element("div", {class: "columns"},
		recordings.map(
			(recording, index) => element("div", {class: "column"},
				recordings.length > 1 ? element("p", {class: "name"},
								recordingLabel(recordings, index))
						      : null,
				fill(recording, index))));
}

/*
 * Makes a legend. An entry is [colour, label, shape]; the shape "dash" is a line, a number the
 * height of a mark in pixels.
 */
function legend(entries) {
	return element("div", {class: "legend"}, entries.map(([color, label,
		shape]) => element("span", null, legendMark(`var(--${color})`, shape), label)));
}

function legendMark(color, shape) {
	const dash = shape === "dash";
	const style =
		dash ? `border-color:${color}` : `background:${color};height:${shape ?? 12}px`;
	return element("i", {class: dash ? "dash" : null, style, "aria-hidden": "true"});
}

/* Makes a list of terms and their texts, without a row for a text of null. */
function facts(rows) {
	return element("dl", {class: "facts"},
		rows.filter(([, text]) => text !== null && text !== undefined).map(([term,
			text]) => [element("dt", null, term), element("dd", null, text)]));
}

/*
 * Makes a table of `rows` with columns {title, show(row), kind}. show returns a text or a node.
 * kind is "text" for a column without numbers, "bar" for a meter, "minor" for a column that narrow
 * screens leave out. Rows beyond `limit` are behind a button.
 */
function dataTable(label, columns, rows, limit = 10) {
	const body = element("tbody");
	const table = element("table", {"aria-label": label},
		element("thead", null,
			element("tr", null,
				columns.map((column) => element("th",
						    {scope: "col", class: column.kind},
						    column.title)))),
		body);
	const show = (shown) => body.replaceChildren(
		...shown.map((row) => element("tr", null,
				     columns.map((column) => element("td", {class: column.kind},
							 column.show(row) ?? "-")))));
	show(rows.slice(0, limit));
	const box = element("div", null, element("div", {class: "wide"}, table));
	if (rows.length > limit)
		box.append(element("p", {class: "note"},
			element("button", {
				type: "button",
				onclick: (event) => {
					show(rows);
					event.target.remove();
				},
			},
				`all ${formatCount(rows.length)} rows`)));
	return box;
}

function meter(share, kind) {
	const width = Math.max(0, Math.min(1, share || 0));
	return element("span",
		{class: `meter ${kind ?? ""}`, style: `width:${(100 * width).toFixed(1)}%`});
}

/* Shows the box beside the pointer with exact numbers. */
function tipShow(x, y, ...lines) {
	const tip = document.querySelector(".tip") ??
		document.body.appendChild(element("div", {class: "tip", role: "status"}));
	tip.hidden = false;
	tip.replaceChildren(...lines.filter(Boolean).map((line) => element("div", null, line)));
	const box = tip.getBoundingClientRect();
	tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - box.width - 8))}px`;
	const above = y + 18 + box.height > innerHeight;
	tip.style.top = `${above ? Math.max(8, y - box.height - 12) : y + 18}px`;
}

function tipHide() {
	const tip = document.querySelector(".tip");
	if (tip)
		tip.hidden = true;
}

/* Gives a canvas one pixel for each of the screen. Returns its context in CSS pixels. */
function canvasResize(canvas, width, height) {
	const scale = window.devicePixelRatio || 1;
	const columns = Math.round(width * scale), rows = Math.round(height * scale);
	if (canvas.width !== columns || canvas.height !== rows) {
		canvas.width = columns;
		canvas.height = rows;
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
	}
	const context = canvas.getContext("2d");
	context.setTransform(scale, 0, 0, scale, 0, 0);
	context.clearRect(0, 0, width, height);
	return context;
}

/* Returns a function that returns a colour of page.css by name, for canvases. */
function palette() {
	const style = getComputedStyle(document.documentElement);
	return (name) => style.getPropertyValue(`--${name}`).trim();
}
