"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPUs over time. The lower chart shows the use of the CPUs of the machine, the upper one the
 * threads that wait for one. Both share the time axis.
 */

const cpusMargin = {
	right: 0,
	top: 6,
	bottom: 22
};

function cpusPanel(range, recordings) {
	return panel("cpus", "CPUs used",
		"How many CPUs did it use, and how many could it have used?",
		panelColumns(recordings, (recording) => cpusChart(range, recording)),
		legend(cpusLegend(recordings)));
}

function cpusLegend(recordings) {
	const known = (key) =>
		recordings.some((recording) => recording.cpus[0][key]?.some((value) => value > 0));
	return [
		["running", "running"], ["others", "other programs"],
		["idle", "idle, or not needed"],
		["runnable", "runnable: threads that wait for a CPU"],
		["unsure", "running, waiting or blocked: unknown"]
	].filter(([key]) => known(key))
		.map(([key, label]) => [key === "unsure" ? "unknown" : key, label]);
}

function cpusChart(range, recording) {
	const reading = element("p", {class: "answer cpus-reading"});
	const place = element("div", {
		class: "cpus-chart",
		tabindex: 0,
		role: "group",
		"aria-label":
			"CPUs over time; arrow keys move the range, plus and minus zoom, Escape shows the whole run",
		onkeydown: (event) => rangeKey(range, event)
	});
	const chart = {range, recording, place, drag: null};
	const draw = () => {
		reading.replaceChildren(...cpusReading(range, recording));
		cpusDraw(chart);
	};
	rangeDragged(range, place, (event) => cpusTimeOf(chart, event), (from, to) => {
		chart.drag = from === null ? null : [from, to];
		cpusDraw(chart);
	});
	place.addEventListener("pointermove", (event) => cpusHover(chart, event));
	place.addEventListener("pointerleave", () => {
		rangePoint(range, null);
		tipHide();
	});
	rangeCursor(range, place,
		(time) => chart.x && time >= range.from && time <= range.to ? chart.x(time) : null);
	chartWatch(place, range, draw);
	return element("div", null, reading, place);
}

/* Draws now, when the range changes, and when the width of the place changes. */
function chartWatch(place, range, draw) {
	let width = 0;
	new ResizeObserver(() => {
		if (place.clientWidth !== width) {
			width = place.clientWidth;
			draw();
		}
	}).observe(place);
	range.listeners.push(() => {
		if (place.clientWidth)
			draw();
	});
}

/* Says the numbers of the range: those of the profile for the whole run, else means of bins. */
function cpusReading(range, recording) {
	const {profile} = recording;
	if (rangeIsWhole(range))
		return [
			element("b", null, formatNumber(profile.cpus_used)),
			` of ${formatPlural(profile.cores, "CPU")} used, `,
			element("b", null, formatNumber(profile.ready_mean)),
			" threads ready on average"
		];
	if (range.from > 0 && range.from >= recording.duration_s)
		return ["This recording ends before the range."];
	const means = cpusMeans(recording, range.from, range.to);
	const known = means.running !== null && !(means.unsure > 0.01);
	const ready = known ? means.running + (means.runnable ?? 0) : null;
	return [
		element("b", null, formatNumber(means.running)),
		` of ${formatPlural(profile.cores, "CPU")} used, `,
		element("b", null, formatNumber(ready)), " threads ready on average in this range",
		means.others === null ? "" : `, other programs used ${formatNumber(means.others)}`
	];
}

/* Returns the bins that touch the range: their times, and the value of each key. */
function cpusBins({range, recording}, width) {
	const levels = recording.cpus.map((level) => level.bin_s);
	const level = recording.cpus[levelFor(levels, (range.to - range.from) / width)];
	const first = Math.max(0, Math.floor(range.from / level.bin_s));
	const last = Math.min(level.running.length, Math.ceil(range.to / level.bin_s) + 1);
	const rows = [];
	for (let i = first; i < last; i++)
		rows.push({
			time: i * level.bin_s,
			running: level.running[i] ?? 0,
			runnable: level.runnable?.[i] ?? 0,
			unsure: level.unsure?.[i] ?? 0,
			others: level.others?.[i] ?? 0,
			idle: level.idle?.[i] ?? 0,
			othersKnown: level.others ? level.others[i] !== null : false,
			idleKnown: level.idle ? level.idle[i] !== null : false
		});
	if (rows.length)
		rows.push({
			...rows[rows.length - 1],
			time: Math.min(last * level.bin_s, recording.duration_s)
		});
	return rows;
}

function cpusDraw(chart) {
	const {range, recording, place} = chart;
	const width = place.clientWidth, high = 62, low = 118, gap = 22;
	if (!width)
		return;
	const height = cpusMargin.top + high + gap + low + cpusMargin.bottom;
	const rows = cpusBins(chart, width);
	const left = rangeLeft(width);
	const x = d3.scaleLinear([range.from, range.to], [left, width - cpusMargin.right]);
	const used = formatNumber(recording.profile.cpus_used);
	const svg = svgChart(width, height, `CPUs over time, ${used} used on average`);
	const clip = `clip-${recording.index}`;
	svg.append(svgElement("clipPath", {id: clip},
		svgElement("rect",
			{x: x.range()[0], y: 0, width: x.range()[1] - x.range()[0], height})));
	const plots = svgElement("g", {"clip-path": `url(#${clip})`});
	const bottom = height - cpusMargin.bottom;
	const most = Math.max(recording.machine.cpus || recording.profile.cores || 1,
		d3.max(rows, (row) => row.running) || 0);
	const cpus = d3.scaleLinear([0, most], [bottom, bottom - low]);
	const waits = d3.scaleLinear(
		[0, Math.max(1, d3.max(rows, (row) => row.runnable + row.unsure) || 0)],
		[cpusMargin.top + high, cpusMargin.top]);
	chartAxes(svg, x, cpus, most, bottom, width);
	chartLeftAxis(svg, waits, 2, left, width);
	cpusStack(plots, rows, x, cpus, ["running", "others", "idle"]);
	cpusStack(plots, rows, x, waits, ["runnable", "unsure"]);
	if (chart.drag)
		plots.append(svgElement("rect", {
			class: "band",
			x: Math.min(...chart.drag.map(x)),
			y: 0,
			width: Math.abs(x(chart.drag[0]) - x(chart.drag[1])),
			height: bottom
		}));
	svg.append(plots,
		svgElement("text", {x: 0, y: cpusMargin.top + high / 2},
			width < 560 ? "waiting" : "threads waiting"),
		svgElement("text", {x: 0, y: bottom - low / 2}, "CPUs"));
	chart.x = x;
	place.replaceChildren(svg);
}

function cpusArea(x, y, from, to) {
	return d3.area()
		.x((row) => x(row.time))
		.y0((row) => y(from(row)))
		.y1((row) => y(to(row)))
		.curve(d3.curveStepAfter);
}

function cpusStack(plots, rows, x, y, keys) {
	let below = () => 0;
	for (const key of keys) {
		const from = below;
		const to = (row) => from(row) + row[key];
		plots.append(svgElement("path", {class: key, d: cpusArea(x, y, from, to)(rows)}));
		below = to;
	}
}

/* Draws the time axis at the bottom, and the axis of numbers at the left with lines across. */
function chartAxes(svg, x, y, ticks, bottom, width) {
	const [size, unit] = secondUnit(Math.max(Math.abs(x.domain()[1]), 1e-9));
	const scaled = d3.scaleLinear(x.domain().map((time) => time / size), x.range());
	const axis = d3.select(svg)
			     .append("g")
			     .attr("transform", `translate(0,${bottom})`)
			     .call(d3.axisBottom(scaled)
					     .ticks(Math.max(
						     2, Math.floor((width - x.range()[0]) / 120)))
					     .tickSize(5));
	axis.selectAll("text").each(function unitOfTick() {
		this.textContent += ` ${unit}`;
	});
	chartKeepInside(axis, x.range()[0], width);
	chartLeftAxis(svg, y, Math.min(4, ticks), x.range()[0], width);
}

function chartLeftAxis(svg, y, ticks, left, width) {
	d3.select(svg)
		.append("g")
		.attr("transform", `translate(${left},0)`)
		.call(d3.axisLeft(y)
				.tickValues(y.ticks(ticks).filter(Number.isInteger))
				.tickFormat(formatCount)
				.tickSize(left - width));
}

/* Keeps the labels at the ends of an axis inside it. */
function chartKeepInside(axis, left, width) {
	axis.selectAll(".tick").each(function anchor() {
		const at =
			Number(/translate\(([-\d.e]+)/.exec(this.getAttribute("transform"))?.[1]);
		const text = this.querySelector("text");
		if (at > width - 36)
			text.setAttribute("text-anchor", "end");
		else if (at < left + 30)
			text.setAttribute("text-anchor", "start");
	});
}

function cpusTimeOf(chart, event) {
	if (!chart.x)
		return null;
	const box = chart.place.getBoundingClientRect();
	if (event.clientX - box.left < chart.x.range()[0] - 4)
		return null;
	return Math.max(chart.range.from,
		Math.min(chart.x.invert(event.clientX - box.left), chart.range.to));
}

function cpusHover(chart, event) {
	const time = cpusTimeOf(chart, event);
	rangePoint(chart.range, time);
	const row = time === null
		? null
		: cpusBins(chart, chart.place.clientWidth).filter((bin) => bin.time <= time).pop();
	if (!row || time > chart.recording.duration_s)
		return tipHide();
	const {from, to, total} = chart.range;
	return tipShow(event.clientX, event.clientY,
		element("b", null, `at ${formatInstant(time, to - from, total)}`),
		`running ${formatNumber(row.running)} CPUs`,
		`other programs ${row.othersKnown ? formatNumber(row.others) : "unknown"}`,
		row.idleKnown ? `idle, or not needed ${formatNumber(row.idle)}` : null,
		`runnable ${formatNumber(row.runnable)} threads`,
		row.unsure ? `unknown ${formatNumber(row.unsure)} threads` : null);
}
