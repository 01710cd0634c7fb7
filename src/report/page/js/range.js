"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The range of time that all panels show, and the bar at the top that brushes it. rangeListen adds
 * a panel, which is drawn at most once a frame.
 */

function rangeNew(recordings) {
	const total = Math.max(...recordings.map((recording) => recording.duration_s)) || 1e-9;
	return {from: 0, to: total, total, listeners: [], pending: false, cursors: []};
}

function rangeListen(range, draw) {
	range.listeners.push(draw);
	draw();
}

function rangeDraw(range) {
	if (range.pending)
		return;
	range.pending = true;
	requestAnimationFrame(() => {
		range.pending = false;
		for (const draw of range.listeners)
			draw();
	});
}

/* Sets the range, to at least a 100 000th of the run: numbers in the page have no more digits. */
function rangeSet(range, from, to) {
	const width = Math.min(range.total, Math.max(Math.abs(to - from), range.total * 1e-5));
	range.from = Math.max(0, Math.min(Math.min(from, to), range.total - width));
	range.to = range.from + width;
	rangeDraw(range);
}

function rangeReset(range) {
	rangeSet(range, 0, range.total);
}

function rangeIsWhole(range) {
	return range.to - range.from >= range.total * (1 - 1e-9);
}

function rangeMove(range, seconds) {
	const move = Math.max(-range.from, Math.min(seconds, range.total - range.to));
	rangeSet(range, range.from + move, range.to + move);
}

/* Makes the range `factor` times as long; `center` stays where it is on the screen. */
function rangeZoom(range, factor, center) {
	const from = center - (center - range.from) * factor;
	const to = center + (range.to - center) * factor;
	if (to - from >= range.total)
		rangeReset(range);
	else
		rangeSet(range, Math.max(0, from), Math.min(range.total, to));
}

/* Adds a cursor to a panel: where(time) is its x, or null if the time is not seen. */
function rangeCursor(range, place, where) {
	const line = element("div", {class: "cursor", hidden: true});
	range.cursors.push((time) => {
		const x = time === null ? null : where(time);
		line.hidden = x === null;
		if (x !== null) {
			if (line.parentNode !== place)
				place.append(line);
			line.style.left = `${x}px`;
		}
	});
}

function rangePoint(range, time) {
	for (const cursor of range.cursors)
		cursor(time);
}

/* Returns the x where time begins in panels; labels are left of it. */
function rangeLeft(width) {
	return width < 560 ? 96 : 168;
}

/* Obeys a key that all panels of time share. Returns true if it was one. */
function rangeKey(range, event) {
	const step = (range.to - range.from) * 0.1;
	const center = (range.from + range.to) / 2;
	const actions = {
		ArrowLeft: () => rangeMove(range, -step),
		ArrowRight: () => rangeMove(range, step),
		"+": () => rangeZoom(range, 0.5, center),
		"=": () => rangeZoom(range, 0.5, center),
		"-": () => rangeZoom(range, 2, center),
		Escape: () => rangeReset(range),
	};
	if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey)
		return false;
	event.preventDefault();
	actions[event.key]();
	return true;
}

/* Sets the range to the part that a drag over `node` selects; timeOf returns an event's time. */
function rangeDragged(range, node, timeOf, preview) {
	let begin = null;
	node.addEventListener("pointerdown", (event) => {
		if (event.button !== 0 || event.pointerType === "touch")
			return;
		const time = timeOf(event);
		if (time === null)
			return;
		begin = {time, x: event.clientX};
		node.setPointerCapture(event.pointerId);
	});
	node.addEventListener("pointermove", (event) => {
		if (begin)
			preview(begin.time, timeOf(event) ?? begin.time);
	});
	node.addEventListener("pointerup", (event) => {
		if (begin && Math.abs(event.clientX - begin.x) > 4)
			rangeSet(range, begin.time, timeOf(event) ?? begin.time);
		begin = null;
		preview(null, null);
	});
	node.addEventListener("pointercancel", () => {
		begin = null;
		preview(null, null);
	});
	node.addEventListener("dblclick", () => rangeReset(range));
}

/* Makes the bar: threads ready over the whole run, the window of the range, and its handles. */
function timebar(range, recordings, links) {
	const brush = timebarBrush(range, recordings);
	const reading = element("output", {id: "range", "aria-live": "polite"});
	const reset = element("button",
		{type: "button", id: "whole", onclick: () => rangeReset(range)}, "Whole run");
	const bar = element("div", {
		class: "timebar",
		role: "group",
		"aria-label": "Range of time that all panels show"
	},
		brush.node, element("div", {class: "reading"}, reading, links, reset));
	rangeListen(range, () => {
		reading.replaceChildren(...timebarReading(range));
		reset.disabled = rangeIsWhole(range);
		document.documentElement.classList.toggle("brushed", !rangeIsWhole(range));
		brush.draw();
	});
	return bar;
}

function timebarReading(range) {
	const span = range.to - range.from;
	if (rangeIsWhole(range))
		return [
			element("b", null, `Whole run, ${formatSeconds(range.total)}`),
			element("span", {class: "soft"},
				". Drag above to look at a part of it: all panels follow.")
		];
	const [from, to] =
		[range.from, range.to].map((time) => formatInstant(time, span, range.total));
	return [
		element("b", null, `${from} to ${to}`),
		`, ${formatSeconds(span)} of ${formatSeconds(range.total)}`
	];
}

function timebarBrush(range, recordings) {
	const shades = [element("div", {class: "shade"}), element("div", {class: "shade"})];
	const window = element("div", {class: "window"});
	const handles = ["from", "to"].map((end) => timebarHandle(range, end));
	const node = element("div", {class: "brush", id: "brush"},
		timebarPicture(range, recordings), shades, window, handles);
	const draw = () => {
		const [from, to] = [100 * range.from / range.total, 100 * range.to / range.total];
		shades[0].style.cssText = `left:0;width:${from}%`;
		shades[1].style.cssText = `left:${to}%;right:0`;
		window.style.cssText = `left:${from}%;width:${to - from}%`;
		handles.forEach((handle, i) => {
			handle.style.left = `${i ? to : from}%`;
			handle.setAttribute("aria-valuenow", i ? range.to : range.from);
			handle.setAttribute(
				"aria-valuetext", formatSeconds(i ? range.to : range.from));
		});
	};
	timebarPointer(range, node, window, handles);
	return {node, draw};
}

/* Draws the threads ready of each recording: running ones, and runnable ones above them. */
function timebarPicture(range, recordings) {
	const height = 40 / recordings.length;
	const svg = svgElement("svg",
		{viewBox: `0 0 1000 40`, preserveAspectRatio: "none", "aria-hidden": "true"});
	recordings.forEach((recording, index) => {
		const level = recording.cpus[0];
		const ready = level.running.map(
			(running, i) => (running ?? 0) + (level.runnable?.[i] ?? 0));
		const top = d3.scaleLinear(
			[0, d3.max(ready) || 1], [(index + 1) * height, index * height + 4]);
		const area = d3.area()
				     .x((_, i) => 1000 * i * level.bin_s / range.total)
				     .y0(top(0))
				     .y1((value) => top(value ?? 0))
				     .curve(d3.curveStepAfter);
		svg.append(svgElement("rect", {
			class: "idle",
			x: 0,
			y: index * height + 2,
			width: 1000 * recording.duration_s / range.total,
			height: height - 2
		}),
			svgElement("path", {class: "runnable", d: area([...ready, 0])}),
			svgElement("path", {class: "running", d: area([...level.running, 0])}));
	});
	return svg;
}

function timebarHandle(range, end) {
	return element("div", {
		class: "handle",
		role: "slider",
		tabindex: 0,
		"aria-label": end === "from" ? "Begin of the range" : "End of the range",
		"aria-valuemin": 0,
		"aria-valuemax": range.total,
		"data-end": end,
		onkeydown: (event) => timebarHandleKey(range, end, event),
	});
}

function timebarHandleKey(range, end, event) {
	const steps = {
		ArrowLeft: -1,
		ArrowDown: -1,
		ArrowRight: 1,
		ArrowUp: 1,
		PageDown: -10,
		PageUp: 10
	};
	if (event.key === "Escape")
		rangeReset(range);
	else if (steps[event.key] && end === "from")
		rangeSet(range,
			Math.min(range.to, range.from + steps[event.key] * range.total / 200),
			range.to);
	else if (steps[event.key])
		rangeSet(range, range.from,
			Math.max(range.from,
				Math.min(range.total,
					range.to + steps[event.key] * range.total / 200)));
	else
		return;
	event.preventDefault();
}

/* Listens to drags, which begin a new range, or move the window or one of its ends. */
function timebarPointer(range, node, window, handles) {
	let drag = null;
	const timeOf = (event) => {
		const box = node.getBoundingClientRect();
		return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) *
			range.total;
	};
	node.addEventListener("pointerdown", (event) => {
		const time = timeOf(event);
		if (event.target === handles[0])
			drag = (now) => rangeSet(range, now, range.to);
		else if (event.target === handles[1])
			drag = (now) => rangeSet(range, range.from, now);
		else if (event.target === window && !rangeIsWhole(range)) {
			const {from, to} = range;
			drag = (now) => {
				const move =
					Math.max(-from, Math.min(now - time, range.total - to));
				rangeSet(range, from + move, to + move);
			};
		} else
			drag = (now) => rangeSet(range, time, now);
		node.setPointerCapture(event.pointerId);
		drag.time = time;
	});
	node.addEventListener("pointermove", (event) => {
		const time = timeOf(event);
		if (drag && (drag.moved || Math.abs(time - drag.time) > range.total / 500)) {
			drag.moved = true;
			drag(time);
		}
	});
	for (const end of ["pointerup", "pointercancel"])
		node.addEventListener(end, () => { drag = null; });
	node.addEventListener("dblclick", () => rangeReset(range));
}
