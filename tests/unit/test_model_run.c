// SPDX-License-Identifier: GPL-2.0-only
/* The receiving end, against tests/programs/fake_door.c: run from the top of the source tree. */
#include "emulator.h"
#include "machine.h"
#include "mem.h"
#include "model_run.h"
#include "perfdata_read.h"
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/hitmap-run-XXXXXX";
static volatile sig_atomic_t interrupts;
static unsigned ticks;

static void shell(char *line)
{
	assert_int_equal(system(line), 0);
	free(line);
}

static int make_programs(void **state)
{
	assert_non_null(mkdtemp(folder));
	shell(mem_printf("cc -D_GNU_SOURCE -Imodel -g -o %s/fake tests/programs/fake_door.c",
			 folder));
	return 0;
}

static int remove_programs(void **state)
{
	shell(mem_printf("rm -rf %s", folder));
	return 0;
}

/* What a recording holds. */
struct seen {
	uint64_t samples, loads, stores, maps, code_maps, forks, comms, exits, remarks, late;
	struct note_model model;
	struct note_object object;
	struct note_operation operation;
	struct note_thread thread;
	struct note_line line;
	char remark[4][128];
	uint32_t first_pid;
	uint64_t other_pids; /* samples of another process than the first one's */
};

struct outcome {
	struct err *err;
	struct model_result result;
	struct seen seen;
	struct intern *pool;
};

static void see_note(struct seen *s, const struct note *n)
{
	if (n->kind == NOTE_MODEL)
		s->model = n->model;
	if (n->kind == NOTE_OBJECT)
		s->object = n->object;
	if (n->kind == NOTE_OPERATION)
		s->operation = n->operation;
	if (n->kind == NOTE_THREAD)
		s->thread = n->thread;
	if (n->kind == NOTE_LINE)
		s->line = n->line;
	if (n->kind == NOTE_REMARK && s->remarks < ARRAY_SIZE(s->remark))
		snprintf(s->remark[s->remarks++], sizeof(s->remark[0]), "%s", n->remark.text);
}

static void see(struct seen *s, const struct event *ev, uint64_t *before)
{
	s->samples += ev->kind == EVENT_SAMPLE;
	s->loads += ev->kind == EVENT_SAMPLE && ev->sample.event == 0;
	s->stores += ev->kind == EVENT_SAMPLE && ev->sample.event == 1;
	s->maps += ev->kind == EVENT_MAP;
	s->code_maps += ev->kind == EVENT_MAP && ev->map.prot & PROT_EXEC;
	s->forks += ev->kind == EVENT_FORK;
	s->comms += ev->kind == EVENT_COMM;
	s->exits += ev->kind == EVENT_EXIT;
	if (ev->kind == EVENT_NOTE) {
		see_note(s, &ev->note);
		return;
	}
	s->late += ev->time < *before;
	*before = ev->time;
	if (ev->kind == EVENT_SAMPLE) {
		s->first_pid = s->first_pid ? s->first_pid : ev->pid;
		s->other_pids += ev->pid != s->first_pid;
	}
}

static void read_recording(struct outcome *o, const char *path)
{
	struct source *source;
	uint64_t before = 0;
	bool end = false;

	assert_null(perfdata_open(path, o->pool, &source));
	while (!end) {
		struct event ev;

		assert_null(source_next(source, &ev, &end));
		if (!end)
			see(&o->seen, &ev, &before);
	}
	assert_false(source->recording.truncated);
	source_close(source);
}

static void record_with(struct outcome *o, const char *behaviour,
			void (*progress)(void *context, uint64_t samples, uint64_t bytes))
{
	char *program = mem_printf("%s/fake", folder), *output = mem_printf("%s/data", folder);
	char *argv[] = { program, (char *)behaviour, NULL }, *environment[] = { NULL };
	struct model_run run = {
		.output = output,
		.plugin_folder = folder,
		.path = "/bin:/usr/bin",
		.temp_folder = "/tmp",
		.record_argc = 2,
		.record_argv = argv,
		.argv = argv,
		.environment = environment,
		.interrupts = &interrupts,
		.progress = progress,
		.config = { .version = MODEL_VERSION, .size = sizeof(run.config) },
	};

	*o = (struct outcome){ .pool = intern_new() };
	interrupts = 0;
	ticks = 0;
	assert_null(machine_load("configs/machines", "small", 0, &run.config.machine));
	o->err = model_run_program(&run, &o->result);
	if (o->err)
		fail_msg("%s", err_text(o->err));
	read_recording(o, output);
	free(program);
	free(output);
}

static void record(struct outcome *o, const char *behaviour)
{
	record_with(o, behaviour, NULL);
}

static void done(struct outcome *o)
{
	intern_free(o->pool);
}

static void an_rmw_becomes_a_load_and_a_store(void **state)
{
	struct outcome o;

	record(&o, "good"); /* ten times a read, a write, an RMW */
	assert_int_equal(o.result.samples, 40);
	assert_int_equal(o.seen.samples, 40);
	assert_int_equal(o.seen.loads, 20);
	assert_int_equal(o.seen.stores, 20);
	assert_int_equal(o.seen.late, 0);
	done(&o);
}

static void tasks_maps_and_totals_arrive(void **state)
{
	struct outcome o;

	record(&o, "good");
	assert_true(o.result.complete);
	assert_string_equal(o.result.door, "hooks");
	assert_int_equal(o.seen.forks, 2); /* the process, its second thread */
	assert_int_equal(o.seen.comms, 2); /* the program's, then the door's */
	assert_int_equal(o.seen.exits, 1);
	assert_true(o.seen.maps > 4);
	assert_string_equal(o.seen.model.machine, "small");
	assert_string_equal(o.seen.model.door, "hooks (fake)");
	assert_int_equal(o.seen.model.cycles[2], 3000);
	assert_int_equal(o.seen.model.hitm[1], 20);
	assert_int_equal(o.seen.model.cpus, 16);
	assert_true(o.seen.model.complete);
	assert_int_equal(o.seen.thread.cycles[1], 150); /* its end less its beginning */
	assert_int_equal(o.seen.line.hitm[2], 3);
	assert_int_equal(o.seen.line.accesses, 99);
	assert_string_equal(o.seen.remark[0], "a remark");
	done(&o);
}

/* The fake maps nothing executable, as QEMU does. */
static void code_is_known_by_the_file(void **state)
{
	struct outcome o;

	record(&o, "good");
	assert_true(o.seen.code_maps >= 2); /* its own and libc's at least */
	assert_true(o.seen.code_maps < o.seen.maps);
	done(&o);
}

static void many_samples_arrive_in_order(void **state)
{
	struct outcome o;

	record(&o, "many");
	assert_int_equal(o.seen.samples, 120000);
	assert_int_equal(o.seen.late, 0);
	done(&o);
}

static void a_failing_program_is_recorded_and_its_status_given(void **state)
{
	struct outcome o;

	record(&o, "fail");
	assert_int_equal(o.result.exit_code, 7);
	assert_int_equal(o.seen.samples, 40);
	assert_string_equal(o.seen.remark[1], "the program failed with exit status 7");
	done(&o);
}

static void a_crash_keeps_what_was_sent(void **state)
{
	struct outcome o;

	record(&o, "crash");
	assert_int_equal(o.result.term_signal, SIGSEGV);
	assert_false(o.result.complete);
	assert_false(o.seen.model.complete);
	assert_int_equal(o.seen.samples, 40);
	assert_string_equal(o.seen.remark[0],
			    "the program was ended by signal 11 (Segmentation fault)");
	done(&o);
}

static void a_forked_process_has_its_own_place(void **state)
{
	struct outcome o;

	record(&o, "fork");
	assert_int_equal(o.result.exit_code, 0);
	assert_int_equal(o.seen.samples, 60);
	/* 40 of the parent, 20 of the child, whose clocks may overlap: either may come first. */
	assert_true(o.seen.other_pids == 20 || o.seen.other_pids == 40);
	assert_int_equal(o.seen.late, 0);
	assert_int_equal(o.seen.model.hitm[1], 40); /* both processes' */
	done(&o);
}

static void a_silent_program_is_remarked(void **state)
{
	struct outcome o;

	record(&o, "silent");
	assert_false(o.result.connected);
	assert_int_equal(o.seen.samples, 0);
	assert_string_equal(o.seen.remark[0], "no front door of the model reported: nothing was "
					      "modelled");
	done(&o);
}

static void annotations_become_notes(void **state)
{
	struct outcome o;

	record(&o, "notes");
	assert_int_equal(o.seen.object.size, 64);
	assert_string_equal(o.seen.object.type, "long");
	assert_string_equal(o.seen.object.name, "shared words");
	assert_int_equal(o.seen.operation.count, 42);
	assert_string_equal(o.seen.operation.name, "thing done");
	assert_string_equal(o.seen.remark[1], "1 lines that the program wrote to the file in "
					      "HITMAP_NOTES were not understood");
	done(&o);
}

static void malformed_messages_end_the_door_not_the_recording(void **state)
{
	static const struct {
		const char *behaviour, *why;
	} bad[] = {
		{ "bad-type", "a message of unknown type or size" },
		{ "bad-size", "a message of unknown type or size" },
		{ "tiny", "a message of unknown type or size" },
		{ "short", "a message that is too short" },
		{ "part", "a part of a sample" },
		{ "nonsense", "a sample that no model makes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct outcome o;

		record(&o, bad[i].behaviour);
		assert_int_equal(o.seen.samples, 40);
		if (!strstr(o.seen.remark[0], bad[i].why))
			fail_msg("%s: \"%s\" does not say \"%s\"", bad[i].behaviour,
				 o.seen.remark[0], bad[i].why);
		assert_false(o.seen.model.complete);
		done(&o);
	}
}

static void a_message_cut_off_is_left_out(void **state)
{
	struct outcome o;

	record(&o, "cut");
	assert_int_equal(o.seen.samples, 40);
	assert_false(o.seen.model.complete);
	done(&o);
}

static void another_protocol_version_is_refused(void **state)
{
	struct outcome o;

	record(&o, "old");
	assert_false(o.result.connected);
	assert_non_null(strstr(o.seen.remark[0], "another version of the protocol"));
	done(&o);
}

/* Patience is counted in ticks, at each of which progress is told: on a busy machine they come
 * late. */
static void interrupt_once(void *context, uint64_t samples, uint64_t bytes)
{
	ticks++;
	interrupts = 1;
}

static void interrupt_twice(void *context, uint64_t samples, uint64_t bytes)
{
	ticks++;
	interrupts = 2;
}

static void a_hung_program_is_killed_two_seconds_after_an_interrupt(void **state)
{
	struct outcome o;

	record_with(&o, "hang", interrupt_once);
	assert_true(o.result.killed);
	assert_int_equal(o.result.term_signal, SIGKILL);
	assert_int_equal(o.seen.samples, 40);
	assert_string_equal(o.seen.remark[0], "interrupted: the program was killed");
	if (ticks < 8 || ticks > 10)
		fail_msg("took %u ticks", ticks);
	done(&o);
}

static void a_second_interrupt_kills_at_once(void **state)
{
	struct outcome o;

	record_with(&o, "hang", interrupt_twice);
	assert_true(o.result.killed);
	assert_int_equal(o.seen.samples, 40);
	if (ticks > 3)
		fail_msg("took %u ticks", ticks);
	done(&o);
}

static void an_older_recording_is_kept(void **state)
{
	char *old = mem_printf("%s/data.old", folder);
	struct outcome o;

	record(&o, "fail");
	done(&o);
	unlink(old);
	record(&o, "good");
	assert_int_equal(access(old, F_OK), 0);
	free(old);
	done(&o);
}

static void write_file(const char *name, const void *bytes, size_t size, mode_t mode)
{
	char *path = mem_printf("%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	chmod(path, mode);
	free(path);
}

static void expect_refusal(const char *name, enum err_status status, const char *text)
{
	char *path = mem_printf("%s/%s", folder, name);
	bool hooks;
	struct err *e = program_check(path, &hooks);

	assert_non_null(e);
	if (!strstr(err_text(e), text))
		fail_msg("\"%s\" does not say \"%s\"", err_text(e), text);
	assert_int_equal(err_status(e), status);
	assert_non_null(err_advice(e));
	err_free(e);
	free(path);
}

static void programs_that_cannot_be_modelled_are_refused_one_by_one(void **state)
{
	unsigned char narrow[64] = { 0x7f, 'E', 'L', 'F', 1, 1, 1 };
	unsigned char arm[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	narrow[16] = arm[16] = 2; /* ET_EXEC */
	narrow[18] = 3;		  /* EM_386 */
	arm[18] = 183;		  /* EM_AARCH64 */
	narrow[20] = arm[20] = 1; /* version */
	narrow[40] = 52;	  /* sizes of the headers */
	arm[52] = 64;
	write_file("script", "#! /usr/bin/env python3\n", 24, 0755);
	write_file("text", "hello\n", 6, 0755);
	write_file("plain", "hello\n", 6, 0644);
	write_file("narrow", narrow, sizeof(narrow), 0755);
	write_file("arm", arm, sizeof(arm), 0755);
	expect_refusal("script", ERR_FAILED, "is a script for /usr/bin/env");
	expect_refusal("text", ERR_FAILED, "is not an ELF file");
	if (geteuid())
		expect_refusal("plain", ERR_FAILED, "is not executable");
	expect_refusal("narrow", ERR_UNSUPPORTED, "has 32 bits");
	expect_refusal("arm", ERR_UNSUPPORTED, "is for another processor (ELF machine 183)");
	expect_refusal("absent", ERR_FAILED, "No such file or directory");
	expect_refusal(".", ERR_FAILED, "is a folder");
}

static void programs_are_found_in_path(void **state)
{
	char *path = mem_printf("/no/such:%s", folder), *found,
	     *want = mem_printf("%s/fake", folder);
	struct err *e;

	assert_null(program_find("fake", path, &found));
	assert_string_equal(found, want);
	free(found);
	e = program_find("no-such-program", path, &found);
	assert_non_null(e);
	assert_string_equal(err_text(e), "record: no program \"no-such-program\" in PATH");
	err_free(e);
	free(want);
	free(path);
}

static void the_plugin_fits_the_version_of_qemu(void **state)
{
	static const struct {
		unsigned major, minor, api;
	} want[] = { { 5, 2, 0 }, { 7, 2, 1 },	{ 8, 2, 1 },  { 9, 0, 2 },  { 9, 1, 3 },
		     { 9, 2, 3 }, { 10, 2, 3 }, { 11, 0, 3 }, { 11, 1, 4 }, { 12, 0, 4 } };

	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(emulator_api(want[i].major, want[i].minor), want[i].api);
}

static void no_qemu_is_unsupported_and_names_the_ways_out(void **state)
{
	struct emulator_places places = { .path = "/no/such", .plugin_folder = folder };
	struct emulator found;
	struct err *e = emulator_find(&places, &found);

	assert_non_null(e);
	assert_int_equal(err_status(e), ERR_UNSUPPORTED);
	assert_non_null(strstr(err_advice(e), "apt-get install qemu-user"));
	assert_non_null(strstr(err_advice(e), "make setup"));
	assert_non_null(strstr(err_advice(e), "hitmap cc"));
	err_free(e);
}

static void a_qemu_without_plugins_is_passed_over(void **state)
{
	static const char plain[] = "#!/bin/sh\necho usage\n";
	static const char able[] = "#!/bin/sh\n[ $1 = -h ] && echo ' -plugin' || "
				   "echo qemu-x86_64 version 9.2.1\n";
	char *spare = mem_printf("%s/spare", folder);
	char *plugin = mem_printf("%s/libhitmap-qemu-api3.so", folder);
	const char *const spares[] = { spare, NULL };
	struct emulator_places places = { .path = folder,
					  .spare = spares,
					  .plugin_folder = folder };
	struct emulator found;
	struct err *e;

	write_file("qemu-x86_64", plain, sizeof(plain) - 1, 0755);
	write_file("spare", able, sizeof(able) - 1, 0755);
	write_file("libhitmap-qemu-api3.so", "", 0, 0644);
	e = emulator_find(&places, &found);
	if (e)
		fail_msg("%s", err_text(e));
	assert_string_equal(found.file, spare);
	assert_string_equal(found.plugin, plugin);
	emulator_deinit(&found);
	free(spare);
	free(plugin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_rmw_becomes_a_load_and_a_store),
		cmocka_unit_test(tasks_maps_and_totals_arrive),
		cmocka_unit_test(code_is_known_by_the_file),
		cmocka_unit_test(many_samples_arrive_in_order),
		cmocka_unit_test(a_failing_program_is_recorded_and_its_status_given),
		cmocka_unit_test(a_crash_keeps_what_was_sent),
		cmocka_unit_test(a_forked_process_has_its_own_place),
		cmocka_unit_test(a_silent_program_is_remarked),
		cmocka_unit_test(annotations_become_notes),
		cmocka_unit_test(malformed_messages_end_the_door_not_the_recording),
		cmocka_unit_test(a_message_cut_off_is_left_out),
		cmocka_unit_test(another_protocol_version_is_refused),
		cmocka_unit_test(a_hung_program_is_killed_two_seconds_after_an_interrupt),
		cmocka_unit_test(a_second_interrupt_kills_at_once),
		cmocka_unit_test(an_older_recording_is_kept),
		cmocka_unit_test(programs_that_cannot_be_modelled_are_refused_one_by_one),
		cmocka_unit_test(programs_are_found_in_path),
		cmocka_unit_test(the_plugin_fits_the_version_of_qemu),
		cmocka_unit_test(no_qemu_is_unsupported_and_names_the_ways_out),
		cmocka_unit_test(a_qemu_without_plugins_is_passed_over),
	};

	return cmocka_run_group_tests(tests, make_programs, remove_programs);
}
