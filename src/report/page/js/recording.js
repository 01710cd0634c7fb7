"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as report wrote it, and its states and bins as panels ask for them. */

const stateNames = {
	R: "running",
	w: "runnable: waits for a CPU",
	B: "blocked",
	D: "waits for a device",
	T: "stopped",
	"?": "unknown",
	m: "several states",
	b: "blocked, ran in between",
	"-": "does not exist",
};
const stateColors = {
	R: "running",
	w: "runnable",
	B: "blocked",
	D: "disk",
	T: "stopped",
	"?": "unknown",
	m: "mixed",
	b: "mixed",
};

/* The recordings of the page, with the state of their panels. */
function recordingsRead(text) {
	const data = JSON.parse(text);
	const recordings = data.recordings.slice(0, 2);
	recordings.forEach((recording, index) => {
		recording.index = index;
		recording.duration_s ??= recording.profile.wall_s;
		recording.machine ??= {cpus: recording.profile.cores};
		recording.quality ??= recording.profile.quality;
		recording.cost ??= recording.profile.overhead;
		recording.runs = new Map();
		recording.longestOf = recordingLongest(recording);
		/* {entry, share} of the wait with a slider off 100 %, and cores of the slider above. */
		recording.change = null;
		recording.cores = null;
	});
	return {...data, recordings};
}

/* That a part of a page had no room, or null. */
function missingSays({left_out: left}, what) {
	return left?.includes(what) ? `There was no room for ${what}, as a page has 3 MB at most.`
				    : null;
}

/* Names the recordings of a comparison: by file, or by letter where both files have one name. */
function recordingLabel(recordings, index) {
	const same = recordings.length > 1 && recordings[0].file === recordings[1].file;
	const letter = recordings.length > 1 ? `${"AB"[index]}: ` : "";
	return letter +
		(same ? recordings[index].command ?? recordings[index].file
		      : recordings[index].file);
}

/* Of each thread its longest intervals off the CPU, in the order of time. */
function recordingLongest(recording) {
	const lists = recording.threads.map(() => []);
	for (const [thread, from, to, state, cause, waker] of recording.longest ?? [])
		lists[thread]?.push({from, to, state, cause, waker});
	for (const list of lists)
		list.sort((a, b) => a.from - b.from);
	return lists;
}

/* "R1c.w3." is 48 bins of R and 3 of w: the first bin of each run, and its letter. */
function statesDecode(text) {
	const starts = [], letters = [];
	let bin = 0;
	for (const run of text.split(".")) {
		if (run === "")
			continue;
		starts.push(bin);
		letters.push(run[0]);
		bin += parseInt(run.slice(1), 36);
	}
	starts.push(bin);
	return {starts, letters};
}

/* The runs of a thread at a level, decoded when they are first looked at. */
function threadRuns(recording, thread, level) {
	const key = thread * 8 + level;
	let runs = recording.runs.get(key);
	if (!runs) {
		runs = statesDecode(recording.states.rows[thread][level] ?? "");
		recording.runs.set(key, runs);
	}
	return runs;
}

/* The coarsest level of which a bin is no longer than `seconds`, else the finest. */
function levelFor(bins, seconds) {
	for (let level = 0; level < bins.length; level++)
		if (bins[level] <= seconds)
			return level;
	return bins.length - 1;
}

/* The run that has `bin`, by bisection. */
function runAt(runs, bin) {
	let low = 0, high = runs.letters.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (runs.starts[middle + 1] <= bin)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The state of a thread at a time: exact in one of its longest intervals, else the one with most of
 * the bin. Null where the thread does not exist.
 */
function threadStateAt(recording, thread, time) {
	const exact = recording.longestOf[thread].find(
		(interval) => interval.from <= time && time < interval.to);
	if (exact)
		return {...exact, exact: true};
	const level = recording.states.bin_s.length - 1;
	const bin = recording.states.bin_s[level];
	const runs = threadRuns(recording, thread, level);
	const at = runAt(runs, Math.floor(time / bin));
	if (at >= runs.letters.length || runs.letters[at] === "-")
		return null;
	return {
		from: runs.starts[at] * bin,
		to: Math.min(runs.starts[at + 1] * bin, recording.duration_s),
		state: runs.letters[at],
		cause: "",
		waker: -1,
		exact: false,
		bin,
	};
}

function threadName(thread) {
	return `${thread.name || thread.comm || "?"}/${thread.tid}`;
}

/* The mean of each of `keys` over a range, from the finest bins; null where a bin does not know. */
function cpusMeans(recording, from, to) {
	const level = recording.cpus[recording.cpus.length - 1];
	const means = {};
	for (const key of ["running", "runnable", "unsure", "others", "idle"])
		means[key] =
			binsMean(level[key], level.bin_s, from, Math.min(to, recording.duration_s));
	return means;
}

function binsMean(values, bin, from, to) {
	if (!values || to <= from)
		return null;
	let sum = 0;
	for (let i = Math.floor(from / bin); i < values.length && i * bin < to; i++) {
		if (values[i] === null)
			return null;
		sum += values[i] * (Math.min(to, (i + 1) * bin) - Math.max(from, i * bin));
	}
	return sum / (to - from);
}

/*
 * The time with each number of threads ready in a range: {exact, levels: [[ready, seconds]]}. Of the
 * whole run the profile has it; of a part of it the bins of "ready", else the means of the CPUs'.
 */
function readyLevels(recording, from, to) {
	if (from <= 0 && to >= recording.duration_s)
		return {
			exact: true,
			levels: recording.profile.levels.map((level) => [level.ready, level.wall_s])
		};
	const sums = new Map();
	const add = (ready, seconds) => sums.set(ready, (sums.get(ready) ?? 0) + seconds);
	if (recording.ready)
		readyFromBins(recording.ready, from, Math.min(to, recording.duration_s),
			recording.duration_s, add);
	else
		readyFromMeans(recording.cpus[recording.cpus.length - 1], from, to, add);
	return {exact: false, levels: [...sums].sort((a, b) => a[0] - b[0])};
}

/* The last bin ends with the run. */
function readyFromBins({bin_s: bin, bins}, from, to, end, add) {
	for (let i = Math.max(0, Math.floor(from / bin)); i < bins.length && i * bin < to; i++) {
		const last = Math.min(end, (i + 1) * bin);
		const share = (Math.min(to, last) - Math.max(from, i * bin)) / (last - i * bin);
		for (let k = 0; k < bins[i].length; k += 2)
			add(bins[i][k], bins[i][k + 1] * share);
	}
}

/* Bins in which the state of a thread is not known are left out. */
function readyFromMeans({bin_s: bin, running, runnable, unsure}, from, to, add) {
	for (let i = Math.max(0, Math.floor(from / bin)); i < running.length && i * bin < to; i++)
		if (running[i] !== null && !(unsure?.[i] > 0.01))
			add(Math.round(running[i] + (runnable[i] ?? 0)),
				Math.min(to, (i + 1) * bin) - Math.max(from, i * bin));
}
