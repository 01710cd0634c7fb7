"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Flame graphs of the time on a CPU, off a CPU, and in the run queue; of the range if the times of
 * frames are known. The width of a frame is its time. A click on a frame shows its part of the
 * graph, Escape shows the whole graph.
 */

const flameRow = 19;
const flameKinds = {
	cpu: ["on CPU", "running", "#fff"],
	off_cpu: ["off CPU", "blocked", null],
	run_queue: ["run queue", "runnable", null],
};

/* Returns the panel, or null if no recording has stacks. */
function flamePanel(range, recordings) {
	if (!recordings.some((recording) => flameTrees(recording).length))
		return null;
	return panel("flame", "Flame graph", "Where in the code does the time go?",
		panelColumns(recordings,
			(recording) => flameTrees(recording).length
				? flameNew(range, recording)
				: element("p", {class: "note"},
					  missingSays(recording, "flame graphs") ??
						  "No stacks were recorded: record with -F 999 -g, or --off-cpu.")));
}

function flameTrees(recording) {
	return Object.keys(flameKinds).filter((kind) => recording.flame?.[kind]?.value > 0);
}

function flameNew(range, recording) {
	const flame = {
		range,
		recording,
		kind: flameTrees(recording)[0],
		search: "",
		root: null,
		selected: null,
		canvas: element("canvas", {
			tabindex: 0,
			role: "application",
			"aria-label":
				"Flame graph. Arrow keys go from frame to frame, Enter zooms into one, Escape shows all."
		}),
		note: element("p", {class: "note", role: "status"}),
		place: element("div"),
	};
	flame.place.append(flame.canvas);
	flameListen(flame);
	rangeListen(range, () => {
		flameRead(flame);
		flameDraw(flame);
	});
	new ResizeObserver(() => flameDraw(flame)).observe(flame.place);
	addEventListener("palette", () => flameDraw(flame));
	return element("div", {class: "flame"}, flameControls(flame), flame.place, flame.note);
}

function flameControls(flame) {
	const kinds = flameTrees(flame.recording)
			      .map((kind) => element("button", {
				      type: "button",
				      "data-flame": kind,
				      "aria-pressed": String(kind === flame.kind),
				      onclick: (event) => {
					      flame.kind = kind;
					      flame.root = null;
					      for (const button of event.target.parentNode
							      .querySelectorAll("[data-flame]"))
						      button.setAttribute("aria-pressed",
							      String(button === event.target));
					      flameRead(flame);
					      flameDraw(flame);
				      },
			      },
					   flameKinds[kind][0]));
	return element("div", {class: "controls"}, kinds, element("input", {
		type: "search",
		placeholder: "function",
		"aria-label": "Search functions",
		oninput: (event) => {
			flame.search = event.target.value.trim().toLowerCase();
			flameDraw(flame);
		},
	}));
}

/*
 * Reads the tree of the chosen kind. The value of a node includes stacks that end in it. The zoomed
 * frame stays.
 */
function flameRead(flame) {
	const {kind, recording: {flame: trees}} = flame;
	const path = flame.root ? flamePath(flame.root) : [];
	const root = d3.hierarchy(flameOfRange(flame, trees[kind]));
	root.each((node) => { node.value = node.data.value; });
	root.sort((a, b) => b.value - a.value);
	flame.tree = d3.partition()(root);
	flame.root = flame.selected = flameFind(flame.tree, path);
}

function flameIsOfRange({range, kind, recording}) {
	return !rangeIsWhole(range) && recording.flame.bin_s?.[kind] > 0;
}

/* Returns the tree of the range. "bins" of a frame have its time without callees. */
function flameOfRange(flame, tree) {
	if (!flameIsOfRange(flame))
		return tree;
	const {range, recording, kind} = flame;
	const bin = recording.flame.bin_s[kind];
	const share = (number) => {
		const end = Math.min(recording.duration_s, (number + 1) * bin);
		const both = Math.min(range.to, end) - Math.max(range.from, number * bin);
		return Math.max(0, both) / (end - number * bin);
	};
	const cut = ({name, bins = [], children = []}) => {
		const below = children.map(cut).filter((child) => child.value > 0);
		let value = d3.sum(below, (child) => child.value);
		for (let i = 0; i < bins.length; i += 2)
			value += bins[i + 1] * share(bins[i]);
		return {name, value, children: below};
	};
	return cut(tree);
}

function flamePath(node) {
	return node.ancestors().reverse().slice(1).map((one) => one.data.name);
}

/* Returns the node at the path, or its last ancestor in the tree. */
function flameFind(tree, path) {
	let node = tree;
	for (const name of path) {
		const next = node.children?.find((child) => child.data.name === name);
		if (!next)
			break;
		node = next;
	}
	return node;
}

/* Returns the frames wide enough to be seen, in pixels: callers of the root, and all below it. */
function flameFrames(flame, width) {
	const x = d3.scaleLinear([flame.root.x0, flame.root.x1], [0, width]);
	const frames = [];
	const visit = (node) => {
		const from = Math.max(0, x(node.x0)), to = Math.min(width, x(node.x1));
		if (to - from < 0.5)
			return;
		frames.push({node, from, to, y: node.depth * flameRow});
		(node.children ?? []).forEach(visit);
	};
	visit(flame.tree);
	return frames;
}

function flameDraw(flame) {
	const width = flame.place.clientWidth;
	if (!width)
		return;
	flame.frames = flameFrames(flame, width);
	const height = (d3.max(flame.frames, (frame) => frame.node.depth) + 1) * flameRow;
	const context = canvasResize(flame.canvas, width, height);
	const color = palette();
	context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
	context.textBaseline = "middle";
	for (const frame of flame.frames)
		flameFrame(flame, frame, context, color);
	flameSay(flame);
}

function flameFound(flame, node) {
	return flame.search !== "" && node.data.name.toLowerCase().includes(flame.search);
}

/* Draws a frame. Neighbours differ a little in lightness; frames outside a search fade. */
function flameFrame(flame, {node, from, to, y}, context, color) {
	const faded = flame.search !== "" && !flameFound(flame, node);
	const above = node.depth < flame.root.depth;
	const width = Math.max(0.5, to - from - (to - from > 3 ? 1 : 0));
	context.globalAlpha = faded || above ? 0.28 : node.depth % 2 ? 0.9 : 0.78;
	context.fillStyle = color(flameKinds[flame.kind][1]);
	context.fillRect(from, y, width, flameRow - 1);
	context.globalAlpha = 1;
	if (width > 28) {
		context.fillStyle = flameKinds[flame.kind][2] && !faded && !above ? flameInk(color)
										  : color("ink");
		context.fillText(ganttShorten(context, node.data.name, width - 8), from + 4,
			y + flameRow / 2);
	}
	if (node === flame.selected && document.activeElement === flame.canvas) {
		context.strokeStyle = color("ink");
		context.strokeRect(from + 0.5, y + 0.5, width - 1, flameRow - 2);
	}
}

/* Returns the colour of text on blue: white in light mode, dark on the light blue of dark mode. */
function flameInk(color) {
	return matchMedia("(prefers-color-scheme: dark)").matches ? color("paper") : "#fff";
}

function flameShare(flame, node) {
	const share = formatShare(node.value / (flame.tree.value || 1));
	return `${formatSeconds(node.value)}, ${share} of ${flameKinds[flame.kind][0]}`;
}

function flameSay(flame) {
	const {note, root, tree, search} = flame;
	if (search !== "") {
		const found = flameFoundTop(flame, tree);
		const share = formatShare(found / (tree.value || 1));
		note.textContent = `'${search}' is in stacks of ${formatSeconds(found)}, ${share}.`;
	} else if (root !== tree) {
		const shown = flameShare(flame, root);
		note.textContent = `${root.data.name}: ${shown}. Escape shows all.`;
	} else {
		const time = `${formatSeconds(tree.value)} ${flameKinds[flame.kind][0]}`;
		note.textContent = `${time}${flameRangeSays(flame)}. Click a frame to zoom.`;
	}
}

function flameRangeSays(flame) {
	if (rangeIsWhole(flame.range))
		return "";
	if (!flameIsOfRange(flame))
		return " in the whole run: times of frames are unknown, so the range has no effect";
	return ` in this range, to bins of ${
		formatSeconds(flame.recording.flame.bin_s[flame.kind])}`;
}

/* Returns the time of stacks with a found frame; of nested ones only the outermost counts. */
function flameFoundTop(flame, node) {
	return flameFound(flame, node)
		? node.value
		: d3.sum(node.children ?? [], (child) => flameFoundTop(flame, child));
}

function flameZoom(flame, node) {
	flame.root = flame.selected = node;
	flameDraw(flame);
}

function flameListen(flame) {
	const {canvas} = flame;
	const at = (event) => {
		const box = canvas.getBoundingClientRect();
		const [x, y] = [event.clientX - box.left, event.clientY - box.top];
		return flame.frames
			?.find((frame) => frame.from <= x && x < frame.to && frame.y <= y &&
					y < frame.y + flameRow)
			?.node;
	};
	canvas.addEventListener("click", (event) => {
		const node = at(event);
		if (node)
			flameZoom(flame, node);
	});
	canvas.addEventListener("pointermove", (event) => {
		const node = at(event);
		if (node)
			tipShow(event.clientX, event.clientY, element("b", null, node.data.name),
				flameShare(flame, node));
		else
			tipHide();
	});
	canvas.addEventListener("pointerleave", tipHide);
	canvas.addEventListener("keydown", (event) => flameKey(flame, event));
	canvas.addEventListener("focus", () => flameDraw(flame));
	canvas.addEventListener("blur", () => flameDraw(flame));
}

function flameKey(flame, event) {
	const {selected} = flame;
	const siblings = selected.parent?.children ?? [selected];
	const steps = {
		ArrowUp: selected.parent,
		ArrowDown: selected.children?.[0],
		ArrowLeft: siblings[siblings.indexOf(selected) - 1],
		ArrowRight: siblings[siblings.indexOf(selected) + 1],
	};
	if (event.key === "Escape")
		flameZoom(flame, flame.tree);
	else if (event.key === "Enter")
		flameZoom(flame, selected);
	else if (event.key in steps) {
		flame.selected = steps[event.key] ?? selected;
		flameDraw(flame);
		flame.note.textContent =
			`${flame.selected.data.name}: ${flameShare(flame, flame.selected)}`;
	} else
		return;
	event.preventDefault();
}
