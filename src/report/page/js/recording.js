"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recordings as report wrote them, with access to their states and bins. */

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

/* Reads the recordings of the page, and adds the state of their panels. */
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
		/* {entry, share} of the wait with a slider below 100 %; the cores of the slider. */
		recording.change = null;
		recording.cores = null;
	});
	return {...data, recordings};
}

/* Says that the page had no room for a part, or returns null. */
function missingSays({left_out: left}, what) {
	return left?.includes(what) ? `There was no room for ${what}, as a page has 3 MB at most.`
				    : null;
}

/* Returns the name of a recording: its file, or its command if both files have the same name. */
function recordingLabel(recordings, index) {
	const same = recordings.length > 1 && recordings[0].file === recordings[1].file;
	const letter = recordings.length > 1 ? `${"AB"[index]}: ` : "";
	return letter +
		(same ? recordings[index].command ?? recordings[index].file
		      : recordings[index].file);
}

/* Returns for each thread its longest intervals off the CPU, in the order of time. */
function recordingLongest(recording) {
	const lists = recording.threads.map(() => []);
	for (const [thread, from, to, state, cause, waker] of recording.longest ?? [])
		lists[thread]?.push({from, to, state, cause, waker});
	for (const list of lists)
		list.sort((a, b) => a.from - b.from);
	return lists;
}

/*
 * Decodes runs of bins in the same state: "R1c.w3." is 48 bins of R and 3 of w. Returns the first
 * bin and the letter of each run.
 */
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

/* Returns the runs of a thread at a level; they are decoded at first use. */
function threadRuns(recording, thread, level) {
	const key = thread * 8 + level;
	let runs = recording.runs.get(key);
	if (!runs) {
		runs = statesDecode(recording.states.rows[thread][level] ?? "");
		recording.runs.set(key, runs);
	}
	return runs;
}

/* Returns the coarsest level whose bins are no longer than `seconds`, else the finest. */
function levelFor(bins, seconds) {
	for (let level = 0; level < bins.length; level++)
		if (bins[level] <= seconds)
			return level;
	return bins.length - 1;
}

/* Returns the index of the run with `bin`. */
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
 * Returns the state of a thread at a time: exact within one of its longest intervals, else the
 * state with most of the bin. Null if the thread does not exist then.
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

/* Returns the mean of each quantity over a range, from the finest bins; null if one is unknown. */
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
 * Returns {exact, levels: [[ready, seconds]]}, the time with each number of threads ready in a
 * range. The profile has it for the whole run; for a part it comes from the bins of "ready", else
 * from means of the CPUs' bins.
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

/* Adds times from the bins of "ready"; the last bin ends with the run. */
function readyFromBins({bin_s: bin, bins}, from, to, end, add) {
	for (let i = Math.max(0, Math.floor(from / bin)); i < bins.length && i * bin < to; i++) {
		const last = Math.min(end, (i + 1) * bin);
		const share = (Math.min(to, last) - Math.max(from, i * bin)) / (last - i * bin);
		for (let k = 0; k < bins[i].length; k += 2)
			add(bins[i][k], bins[i][k + 1] * share);
	}
}

/* Adds times from means of bins, without bins in which the state of a thread is unknown. */
function readyFromMeans({bin_s: bin, running, runnable, unsure}, from, to, add) {
	for (let i = Math.max(0, Math.floor(from / bin)); i < running.length && i * bin < to; i++)
		if (running[i] !== null && !(unsure?.[i] > 0.01))
			add(Math.round(running[i] + (runnable[i] ?? 0)),
				Math.min(to, (i + 1) * bin) - Math.max(from, i * bin));
}
