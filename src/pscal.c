/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pscal: how parallel a program is, and how it would scale. This file holds the table of commands
 * and main; the map of the rest, from left to right as includes may point:
 *
 *   base/alloc               memory that is there, or the program ends
 *   base/csv_table           rows of text cells from CSV
 *   base/decimal_comma       ... and what the commas in numbers are
 *   base/edit_distance       how alike two words are
 *   base/err                 why something failed, in one sentence
 *   base/input               a stream of bytes that can be looked into
 *   base/unpack              ... and is unpacked on the way
 *   base/scratch_file        ... or kept in a file without a name
 *   base/regular_file        a file that somebody else has named, and nothing but a file
 *   base/subprocess          another program, run to its end
 *   base/monotonic           a clock that never goes back
 *   base/parse               whole strings to numbers and lists
 *   base/shell_quote         words as a shell would have to be given them
 *   base/sparse              an array of pointers with a large range
 *   base/standard_streams    what is closed of them stays so
 *
 *   probe/spool              how the probe library hands over what it sees
 *   probe/patch_plan         ... and what it is to do to functions
 *   probe/probe              pscal/probe.h, with which programs mark blocks themselves
 *   probe/probe_library      where the probe library begins in a process
 *   probe/probe_thread       ... a thread that is watched
 *   probe/probe_clock        ... and what time it is there
 *   probe/block_event        ... what is recorded of a block
 *   probe/spool_writer       ... in the file of the thread
 *   probe/process_files      ... and in those of the process
 *   probe/spool_text         ... as texts
 *   probe/raw_call           ... without the C library
 *   probe/quiet_call         ... or with it, where it must not be noticed
 *   probe/patcher            functions whose entry is changed
 *   probe/thunk              ... what each of them has of its own
 *   probe/code_memory        ... and where instructions may be written
 *   probe/block_entry        ... what happens when they are called and when they return
 *   probe/open_call          ... and where they return to
 *   probe/backtraces         ... which backtraces are not to show
 *   probe/instrumented       functions that the compiler has prepared
 *   probe/marked_blocks      blocks that the program marks
 *
 *   collect/perfdata         the layout of a perf.data file
 *   collect/recorder         one recording, from beginning to end
 *   collect/session          its target, its collectors and its file
 *   collect/scheduler        which collector this machine allows
 *   collect/collector_set    all collectors of a recording as one
 *   collect/recording        records into the file, counted on the way
 *   collect/recording_file   a draft until it is one; FILE.old; mode 0600
 *   collect/perfdata_write   header and sections of the file
 *   collect/compressor       records as perf record -z packs them
 *   collect/record           the records in it, in the one layout they all have
 *   collect/features         what the sections at its end hold
 *   collect/tracing_data     the section with the format texts
 *   collect/collector        what watches the target; its kinds:
 *   collect/perf_collector   ... the scheduler, with tracepoints on every CPU
 *   collect/bpf_collector    ... the scheduler, with programs in the kernel
 *   collect/sched.bpf        the programs
 *   collect/sched_interrupts ... whether the CPU serves an interrupt
 *   collect/sched_kernel     what they use of the kernel
 *   collect/bpf_record       what they write, for both sides
 *   collect/bpf_programs     loads them and shares their memory
 *   collect/bpf_preempt      where the kernel has what tells that it serves an interrupt
 *   collect/bpf_merge        reads their rings in the order of time
 *   collect/bpf_expand       makes of that what perf would have recorded
 *   collect/bpf_absent       the collector of a pscal that is built without
 *   collect/payload          the fields of a tracepoint, as this kernel lays them out
 *   collect/sched_events     which events it opens, where, on or off
 *   collect/cpu_events       perf events on every CPU
 *   collect/cpu_watch        notices CPUs that come online
 *   collect/hidden_switches  which CPUs do not show perf all of their switches
 *   collect/slim_records     what is in the ring, completed for the file
 *   collect/thread_filter    which threads the kernel is to record
 *   collect/task_collector   ... a user's own threads, without tracepoints
 *   collect/task_origins     whose records to take where a thread is watched twice
 *   collect/task_record      what the kernel writes of threads, completed
 *   collect/task_events      perf events on threads and what they create
 *   collect/counters         ... what they count, as the names on the command line say
 *   collect/switch_counters  ... the same with events on every CPU, read at each switch
 *   collect/counter_stretches ... and whose counts those are
 *   collect/counter_choice   ... which those are, here
 *   collect/counter_groups   ... in groups
 *   collect/counter_ledger   ... and whose counts they are
 *   collect/counter_output   ... and how a recording has them
 *   collect/counter_names    names of events to what the kernel calls them
 *   collect/counter_list     all names there are
 *   collect/counter_probe    whether an event counts here, tried
 *   collect/counter_advice   why one does not, and what would
 *   collect/sampler          ... where threads are while they run, and what is mapped there
 *   collect/sampler_options  what is asked of the kernel for that
 *   collect/sampler_events   its perf events, by CPU or by thread
 *   collect/sync_tracer      ... the calls in which threads wait for each other
 *   collect/call_cost        what calls cost that are recorded
 *   collect/sync_cost        ... what it costs that they are recorded
 *   collect/sync_probes      ... as probes on the C library
 *   collect/call_tracer      what collectors of calls have in common
 *   collect/call_events      ... their perf events: tracepoints and probes
 *   collect/uprobes          ... the probes, made and removed in tracefs
 *   collect/uprobe_tracer    ... when threads enter and leave functions, seen by the kernel
 *   collect/uprobe_record    ... as the kernel has them, and the file
 *   collect/uprobe_cost      ... what it costs that they are recorded
 *   collect/uprobe_functions ... which functions those are
 *   collect/uprobe_files     ... in which files
 *   collect/c_library        which files those are on
 *   collect/file_set         ... found by who has them mapped
 *   collect/elf_functions    ... and where in these functions are
 *   collect/probe_place      ... and where in these a probe is cheap
 *   collect/block_tracer     ... when the threads of a command enter and leave blocks of code
 *   collect/probe_plan       what the probe library is to do there
 *   collect/function_list    ... to which functions, as patterns say
 *   collect/function_table   ... of those that a file has
 *   collect/nearest_name     ... or which else may have been meant
 *   collect/loaded_objects   ... and which files those are
 *   collect/command_file     ... before the command runs
 *   collect/unwatchable      ... but for those that must be left alone
 *   collect/object_patches   ... or cannot be changed, and how the others are
 *   collect/unwind_table     ... as they are no functions
 *   collect/entry_patch      ... have no room for it, or may jump there
 *   collect/stack_use        ... return elsewhere, or look at where to
 *   collect/entry_jumps      ... or are jumped into
 *   collect/probe_library_path where the library is
 *   collect/block_spool      what it writes, of all threads in the order of time
 *   collect/spool_directory  ... in files that go away afterwards
 *   collect/spool_reader     ... and of one
 *   collect/clock_pairs      ... what the time stamp counter says in our clock
 *   collect/block_names      ... and what the blocks are called
 *   collect/block_cost       ... and what it costs to be watched so
 *   collect/block_tracepoints ... as tracepoints
 *   collect/lineage          which threads are the target, by following births
 *   collect/proc_maps        the code that processes and the kernel have mapped
 *   collect/task_table       the process of each thread
 *   collect/ring             the ring that the kernel fills for one CPU
 *   collect/tally            events, losses and threads seen
 *   collect/id_watch         notices that process ids begin anew
 *   collect/affinity_watch   the CPUs that a command settles for
 *   collect/child            starts the command, held back until the events are on
 *   collect/target           processes, threads and states at the beginning
 *   collect/cost             what a collector adds to a context switch
 *   collect/cgroup           the processes of a control group
 *   collect/target_end       notices when the last of them has ended
 *   collect/control          commands to a recording that runs
 *   collect/proc_stat        one thread as /proc shows it
 *   collect/pid_set          a set of process ids
 *   collect/cpu_list         sets of CPUs and their text form
 *   collect/tracefs          finds it, mounts it, reads it
 *   collect/permission       what is missing, and the command that grants it
 *   collect/stop_signals     signals as a descriptor to poll
 *   collect/put              binary values into a stream
 *
 *   collect/sweep            a command at several N, measured
 *   collect/sweep_levels     which N those are
 *   collect/sweep_plan       in which order
 *   collect/sweep_words      how the command gets its N
 *   collect/cpu_order        ... or its CPUs
 *   collect/sweep_run        one run of it
 *   collect/sweep_output     what that has printed
 *   collect/sweep_rate       what its throughput is
 *   collect/sweep_file       where that is kept
 *   collect/sweep_past       ... and what is there already
 *   collect/sweep_eta        how long the rest will take
 *   collect/cpu_busy         ... who else used the machine meanwhile
 *   collect/conditions       what a throughput depends on beside the program
 *   collect/calibration      how much slower a core is while others are busy
 *   collect/calibration_run  ... measured on some of them, for a moment
 *   collect/calibration_file ... and kept
 *
 *   decode/event             one scheduling event, and the states of a thread
 *   decode/sync_call         calls in which threads wait for each other
 *   decode/call_event        ... and the events that tell of them
 *   decode/blocks            code that threads enter and leave, by name
 *   decode/quality           how good the data are
 *   decode/event_source      where events come from, told from the first bytes: one of these
 *   decode/perfdata_source   a perf.data file, from its beginning to its end
 *   decode/perfdata_file     ... its header, event ids and table of sections
 *   decode/perfdata_check    ... whether it tells what is needed
 *   decode/perfdata_streams  ... its records, from all files of a recording
 *   decode/perfdata_directory ... which those are
 *   decode/perfdata_records  ... of one file, one after the other
 *   decode/inflate           ... unpacked
 *   decode/perfdata_swap     ... as this machine would have written them
 *   decode/byte_order        ... number by number
 *   decode/byte_cursor       ... taken one after the other
 *   decode/record_owner      ... of which event each is
 *   decode/sample            ... the fields of one
 *   decode/perfdata_events   ... what those of the kernel say of the scheduler
 *   decode/formats           ... in tracepoint payloads, by the format texts
 *   decode/payload_field     ... where the fields in these lie
 *   decode/call_format       ... or of calls
 *   decode/block_format      ... or of blocks
 *   decode/tracing_section   ... which are in a section of their own
 *   decode/prev_state        ... what the bits of prev_state mean
 *   decode/counts            ... what events counted in each thread
 *   decode/samples           ... where in the code threads were, and what was mapped there
 *   decode/map_finder        ... when
 *   decode/chains            ... and who had called that
 *   decode/perfdata_target   ... what pscal record says of the target
 *   decode/target_feature    ... in which words
 *   decode/perfdata_tail     ... names that stand behind all that they are needed for
 *   decode/order             ... all that as events, in the order of time
 *   decode/event_lane        ... those of one CPU, which nearly are
 *   decode/event_heap        ... those that come far too late for that
 *   decode/overwritten       ... of which rings have forgotten the beginning
 *   decode/pauses            ... while recording was off
 *
 *   decode/script_source     the text of perf script and the like, line by line
 *   decode/line_layout       ... how lines say what they say
 *   decode/line_joiner       ... and what a newline in a name has broken
 *   decode/script_line       ... one line of perf script
 *   decode/script_head       ... what stands before its event
 *   decode/script_record     ... its PERF_RECORD_ lines
 *   decode/script_times      ... what its times count from
 *   decode/ftrace_line       ... one line of ftrace, or of trace-cmd report
 *   decode/sched_fields      ... what any layout says of an event
 *   decode/call_text         ... or of a call
 *   decode/block_text        ... or of a block
 *   decode/sched_compact     ... as libtraceevent's plugin prints it
 *   decode/timehist_source   the text of perf sched timehist
 *   decode/timehist_line     ... one of its rows
 *   decode/timehist_rows     ... what they mean, as events
 *   decode/enter_leave_source the text of those who only watch functions
 *   decode/enter_leave_line  ... one of its lines
 *   decode/paje_source       traces of Paje
 *   decode/paje_layout       ... what their lines say
 *   decode/paje_stacks       ... and the states that these make
 *   decode/scan              small steps over lines of any text
 *
 *   decode/timeline          events to intervals of states
 *   decode/states            ... what each thread is doing, and the changes
 *   decode/event_rules       ... what each event means for it
 *   decode/occupancy         ... threads that get CPUs and leave them
 *   decode/event_clock       ... the time, which never goes back
 *   decode/thread_table      ... the threads known to live
 *   decode/cpu_table         ... who runs on which CPU
 *   decode/selection         ... which threads are the target
 *
 *   stats/levels             wall time with j threads active, corrected as more is known
 *   stats/activity           parallelism over time, in bins
 *   stats/levels_csv         the same, read from a table
 *   stats/profile            levels, and what each thread did
 *   stats/wall_times         wall times measured on k cores
 *   stats/overhead           what recording has cost
 *   stats/counter_table      what events counted in each thread, scaled
 *   stats/thread_finder      ... whose what was counted is
 *   stats/block_spans        ... or told as they end, with what threads did within
 *   stats/spin_table         how much of its time each thread waits in loops
 *   stats/mapped_code        ... by the code of where it was
 *   stats/wait_loop          ... if that is in a loop that waits
 *   stats/code_loop          ... of the loops around it
 *   stats/instruction        ... by what machine instructions do
 *   stats/symbol_finder      the functions of addresses
 *   stats/chain_names        ... and of call chains, as people name them
 *   stats/series             throughput measured at N
 *   stats/series_columns     ... which columns of a table it is in
 *   stats/column_finder      ... found by what names say, or told that it is not clear
 *   stats/column_name        ... what a column holds, as its name says
 *   stats/series_weights     ... how much each point counts
 *   stats/series_log         ... a point for each stretch of a log with one N
 *   stats/steady             ... where that is steady
 *   stats/runs_test          whether signs change as often as by chance
 *   stats/block_trace        what threads entered and left, beside their states
 *   stats/sequences          ... what repeats in that
 *   stats/digrams            ... of which pairs
 *   stats/block_calls        ... which leave belongs to which enter
 *   stats/block_holders      ... how long who had the CPU while a thread waited for it
 *   stats/rdam               ... and what it costs that the durations of that vary
 *   stats/rdam_scope         ... in which threads together
 *   stats/rdam_name          ... what it is called
 *   stats/rdam_keys          ... by values of its arguments
 *   stats/rdam_measure       ... how long it takes
 *   stats/rdam_causes        ... where the time has gone
 *   stats/rdam_spread        ... how differently long
 *   stats/rdam_stacks        ... by whom it is called
 *   stats/rdam_dependence    ... and whether that depends on arguments
 *   stats/rdam_known         ... as it is known to
 *   stats/theil_sen          the slope of a line through points of which many are wild
 *
 *   fit/closed_form          wall time on other core counts, from levels
 *   fit/usl                  the Universal Scalability Law under its bounds
 *   fit/usl_means            ... to the means of what was measured at each N
 *   fit/usl_scaled           ... as a problem of magnitude one
 *   fit/usl_solver           ... solved without bounds
 *   fit/usl_descent          ... a thousand times
 *   fit/usl_profile          ... with a quantity held at a value
 *   fit/usl_robust           ... that wild points do not decide
 *   fit/usl_trimmed          ... which most points agree on
 *   fit/usl_choice           ... beside the simpler laws
 *   fit/usl_region           ... and the intervals of all that follows from it
 *   fit/usl_inverse          ... read backwards: the N at which something is reached
 *   fit/usl_answer           ... and how sure that N is
 *   fit/usl_change           ... with other parameters
 *   fit/usl_claim            ... and whether what is claimed of it holds
 *   fit/usl_bootstrap        ... by refits to points that were drawn
 *   fit/usl_refit            ... one of them
 *   fit/usl_intervals        ... by the one method or the other
 *   fit/usl_design           ... and where to measure next
 *   fit/usl_common           ... of two series with parameters in common
 *   fit/usl_compare          ... and what has changed between them
 *   fit/usl_diagnosis        ... and whether it describes the points
 *   fit/usl_leverage         ... how much each of them decides
 *   fit/usl_leave_out        ... what the fit would be without it
 *   fit/usl_replicates       ... against the scatter of repeated ones
 *   fit/usl_knee             ... in two pieces
 *
 *   replay/program           what threads did, as steps that can be run again
 *   replay/program_read      ... read from a trace
 *   replay/program_marks     ... of which it is not yet known how far a thread was
 *   replay/program_polls     ... and which sleeps were waits for others
 *   replay/program_sites     ... at objects with an address
 *   replay/program_costs     ... and what that tells of the machine
 *   replay/spin              ... in which spinning is waiting
 *   replay/yields            ... and so are loops of sched_yield
 *   replay/recognise         ... at locks, queues and barriers
 *   replay/recognition       ... where each edge has its ends, while that goes on
 *   replay/recognise_calls   ... as calls on record say
 *   replay/condition_queues  ... with conditions that are queues
 *   replay/condition_counters ... or counters that others follow
 *   replay/call_pairs        ... which of them hold a lock
 *   replay/call_costs        ... without the time that recording them took
 *   replay/call_waits        ... and which waits were in them
 *   replay/call_order        ... and what their order tells of an object
 *   replay/recognise_pools   ... and whether anybody may do what follows a token
 *   replay/recognise_futex   ... with words of system calls for the rest
 *   replay/recognise_barriers ... as wakes alone say
 *   replay/recognise_joins   ... at the ends of threads
 *   replay/recognise_sites   ... and names for the others
 *   replay/simulation        ... run again on other cores
 *   replay/simulation_cores  ... who runs on them, and for how long
 *   replay/simulation_sites  ... who has locks and tokens
 *   replay/simulation_pools  ... and what is done by whoever gets it
 *   replay/simulation_task   ... a thread meanwhile
 *   replay/agenda            ... what comes next
 *   replay/slowdown          ... that are slower while others are busy
 *   replay/replays           ... many times at once
 *   replay/bounds            ... and how fast that can be at best
 *   replay/replayed          ... as a forecast
 *   replay/variation         ... with intervals
 *   replay/interval          ... from all that puts one in doubt
 *   replay/alternatives      ... which reach to other answers that may be as true
 *   replay/recognise_checked as much recognised as that bears out
 *   replay/handovers         ... and what looks like locks in the rest of it
 *   replay/validity          ... and whether to believe that
 *   replay/wait_chains       in which calls threads waited
 *   replay/wait_sites        where threads wait, by name
 *   replay/wait_names        ... which are the functions that they call
 *   replay/why               ... and what would be saved if that cost nothing
 *   replay/replayed_usl      the Universal Scalability Law through a replay
 *
 *   report/report            the writer of results: text, CSV, JSON
 *   report/text_table        ... tables for people
 *   report/format            ... values for people
 *   report/progress          how far a long piece of work is
 *   report/report_timeline   intervals as rows
 *   report/report_blocks     ... and what they entered and left
 *   report/report_audit      what is wrong with the data as rows
 *   report/report_profile    a profile as rows
 *   report/report_counters   what was counted as rows
 *   report/report_forecast   a forecast as rows
 *   report/report_forecast_rows ... its columns
 *   report/report_forecast_notes ... and what to know before believing it
 *   report/forecast_view     ... what is known of it
 *   report/report_interval   ... and what its intervals are made from
 *   report/report_why        what would be saved where threads wait
 *   report/report_forecast_usl the law through a replay
 *   report/report_validity   ... and whether to believe it
 *   report/fit_view          what is known of a fit
 *   report/report_fit        ... as rows
 *   report/report_columns    ... which columns it was read from
 *   report/report_steady     ... what of a log is steady
 *   report/report_parameters ... its parameters and their intervals
 *   report/fit_warnings      ... and what to know before believing it
 *   report/report_answers    ... and what was asked of it
 *   report/report_meaning    ... and what its parameters mean
 *   report/report_points     ... its points, and what they do to it
 *   report/report_diagnosis  ... and whether it describes them
 *   report/fit_flags         ... the same in a word each
 *   report/report_verdict    ... and what it says, in a sentence
 *   report/report_suggestion ... and where to measure next
 *   report/plot_fit          ... as a picture
 *   report/report_rdam       what it costs that durations vary
 *   report/rdam_view         ... which rows of it, in which order
 *   report/report_rdam_rows  ... for programs
 *   report/report_rdam_verdict ... in a few sentences
 *   report/report_rdam_notes ... and what is to be known of it
 *   report/plot_profile      a profile as a picture
 *   report/plot_forecast     a forecast as a picture
 *   report/plot              the file of a picture, drawn by gnuplot
 *   report/plot_script       ... of numbers and texts
 *   report/chart             ... with characters, in a report
 *   report/report_compare    what has changed between two as rows
 *   report/report_list       names of events as rows
 *   report/report_overhead   what recording has cost
 *   report/report_calibration how much slower cores are while others are busy
 *   report/plot_rdam         the durations of a block as a picture
 *   report/report_quality    what to know before believing it
 *
 *   cmd/cmd                  what a command is
 *   cmd/options              the options that commands share
 *   cmd/trace                which trace, which threads
 *   cmd/plotting             whether to draw the result
 *   cmd/follow               what comes through a pipe, shown each second
 *   cmd/cmd_record           the command record
 *   cmd/record_probe         ... and what it is asked of blocks of code
 *   cmd/hot_functions        ... those that an earlier recording has found hot
 *   cmd/record_summary       ... and what it says in the end
 *   cmd/cmd_timeline         the command timeline
 *   cmd/cmd_profile          the command profile
 *   cmd/forecast_request     what the command forecast was asked for
 *   cmd/forecast_replay      ... by which model it answers
 *   cmd/forecast_why         ... and what else a replay is asked
 *   cmd/cmd_forecast         the command forecast
 *   cmd/forecast_calibration ... measures how much slower cores are while others are busy
 *   cmd/sweep_request        what the command sweep was asked for
 *   cmd/cmd_sweep            the command sweep
 *   cmd/fit_request          what the command fit was asked for
 *   cmd/fit_points           ... and how to read its points
 *   cmd/fit_questions        ... of the curve
 *   cmd/fit_claims           ... and how claims and changes are written
 *   cmd/cmd_fit              the command fit
 *   cmd/cmd_rdam             the command rdam
 *   cmd/rdam_request         what it was asked for
 *   cmd/cmd_list             the command list
 */
#include "base/err.h"
#include "base/standard_streams.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

static const struct cmd *const commands[] = {
	&cmd_record, &cmd_timeline, &cmd_profile, &cmd_forecast,
	&cmd_sweep,  &cmd_fit,	    &cmd_rdam,	  &cmd_list,
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static int print_version(int argc, const char **argv, struct err *err)
{
	(void)argc, (void)argv, (void)err;
	puts("pscal " PSCAL_VERSION);
	return STATUS_DONE;
}

static int print_help(int argc, const char **argv, struct err *err)
{
	(void)argc, (void)argv, (void)err;
	puts("Usage: pscal COMMAND [OPTIONS] [FILE]\n"
	     "How parallel a program is, how long it would take on other core counts,\n"
	     "and what keeps it from scaling.\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	puts("\n'pscal COMMAND --help' lists its options, 'man pscal-COMMAND' explains them.");
	return STATUS_DONE;
}

/* What may stand in the place of a command. */
static const struct cmd others[] = {
	{"--help", NULL, print_help},
	{"-h", NULL, print_help},
	{"help", NULL, print_help},
	{"--version", NULL, print_version},
};
enum { OTHER_COUNT = sizeof(others) / sizeof(others[0]) };

/* Done is only what could be written. */
static int run(const struct cmd *cmd, int argc, const char **argv)
{
	struct err err = {""};
	char name[64] = "pscal";
	int status;

	if (cmd->summary)
		snprintf(name, sizeof(name), "pscal %s", cmd->name);
	argv[0] = name;
	status = cmd->run(argc, argv, &err);
	if ((fflush(stdout) || ferror(stdout)) && status == STATUS_DONE) {
		err_set(&err, "standard output: cannot write: %m");
		status = STATUS_FAILED;
	}
	if (status != STATUS_DONE && *err.text)
		fprintf(stderr, "%s: %s\n", name, err.text);
	return status;
}

int main(int argc, const char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	standard_streams_keep();
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(name, commands[i]->name) == 0)
			return run(commands[i], argc - 1, argv + 1);
	for (size_t i = 0; i < OTHER_COUNT; i++)
		if (strcmp(name, others[i].name) == 0)
			return run(&others[i], argc - 1, argv + 1);
	if (*name)
		fprintf(stderr, "pscal: there is no command '%s'; see 'pscal --help'\n", name);
	else
		fprintf(stderr, "pscal: say what to do; 'pscal --help' lists the commands\n");
	return STATUS_USAGE;
}
