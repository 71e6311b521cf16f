# hitmap: names the struct fields that fight over cachelines.
#
#	make demo	set up, build, run the main job on a real workload
#	make check	set up, build, run the tests
#	make check-cases	verdicts on 216 sharing patterns, with their score
#	make bench	what it costs, as ratios against native runs
#	make		build/hitmap, which runs from the build tree (after "make setup")
#
# Variables, in any combination: ASAN=1 DEBUG=1 WERROR=1 CC=clang BUILD=dir PREFIX=dir DESTDIR=dir

PREFIX ?= /usr/local
BUILD ?= build$(if $(ASAN),-asan)$(if $(DEBUG),-debug)

# ---- The architecture: layers from the top, a file includes headers of its own layer and of those
# below it only; tests/run/layers.sh holds the tree to this list.
LAYERS := command front analysis attrib source sample base
command := main cmd_record record_rings record_operations record_objects cmd_report cmd_bench cmd_cc cmd_diff cmd_align align_builds cmd_live cmd_tui cmd_doctor cmd_calibrate cmd_objects \
	live recorder_child recorded session paths option output
front := tui report report_table report_c2c report_json report_diff report_diff_json report_diff_csv \
	report_diff_html report_diff_folded report_diff_markdown report_csv report_html \
	report_folded report_markdown report_pairs report_say report_buckets report_align report_builds report_what_if align_sheet sheet report_view \
	column view_stack fight diff_column figure figure_json csv html folded markdown label heatmap event_show doctor_show calibrate_show report_objects \
	screen screen_key screen_lines screen_heatmap screen_functions screen_time screen_objects \
	screen_line screen_doctor screen_help list matrix axis blame fields scene pairing scale palette \
	canvas key
analysis := phase line_key cell_store callers intake line_group touched profile bucket c2c_count idset diff diff_judge threshold sharing sharing_text object_use what_if align build_compare \
	tally
attrib := kobject futex_hash kernel_symbols kmem kmem_core kmem_bpf kernel_read layout layout_file dwarf_layout type_btf kernel_names \
	attrib attrib_state debuginfod spot data_place code_place backing binary object_set told jit_map range \
	type_dwarf type_dwarf_state operand disassembly scope member type_table die
source := ahead input tap spool unpack queue perfdata_feature perfdata_header perfdata_record \
	script_line script_read spe_trace perfdata_read perfdata_describe perfdata_file \
	perfdata_write machine model_run recorder door_read sysfs host pmu event_quirk event_attr \
	event_hardware event_named tracing_data event_plan event_ladder perf_fd collect_limit \
	collect_aux c2c_collect collect_stat kernel_record task_scan workload topology \
	collect_filter collect_run mapped_file cgroup program emulator probe doctor doctor_fact calibrate calibrate_probe annotation environment heap_read note object_watch source \
	target tracepoint uprobe operation
sample := sample step chain data_source line spe_packet spe_sample ibs_raw
base := err mem stat ini_file intern buf blob map table symbol_name symtab symtab_state symtab_file insn json cpulist

# The model library, below everything, and its front doors.
MODEL := model gate coherence ring shadow sampler lock spin replay stream thread door door_file x86
WORKLOADS := bench signal futex real

SRC := $(foreach l,$(LAYERS),$(addprefix src/,$(addsuffix .c,$($(l)))))
SRC := $(wildcard $(SRC))
BENCH_SRC := $(wildcard $(addprefix bench/,$(addsuffix .c,$(WORKLOADS))))
MODEL_SRC := $(wildcard $(addprefix model/,$(addsuffix .c,$(MODEL))))

# ---- Tools and flags
LIBPERF ?= $(CURDIR)/deps/libperf
PKGS := libelf libdw capstone json-c inih libzstd libtraceevent libbpf ncursesw
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -liberty
ifeq ($(shell pkg-config --exists libperf 2>/dev/null && echo yes),yes)
PERF_CFLAGS := $(shell pkg-config --cflags libperf)
PERF_LIBS := $(shell pkg-config --libs libperf)
else
PERF_CFLAGS := -isystem $(LIBPERF)/include
PERF_LIBS := -L$(LIBPERF)/lib -lperf -lapi
endif

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wformat=2 -Wno-unused-parameter $(if $(WERROR),-Werror)
comma := ,
OPT := $(if $(DEBUG),-Og,-O2) -g
SANITIZE := $(if $(ASAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer)
CPPFLAGS += -D_GNU_SOURCE -Isrc -Imodel -Iinclude -I$(BUILD)/gen $(PERF_CFLAGS) $(PKG_CFLAGS)
CFLAGS += -std=gnu11 $(OPT) $(WARN)
LDLIBS := -Wl,--as-needed $(PERF_LIBS) $(PKG_LIBS) -lpthread -lm

OBJ := $(SRC:%.c=$(BUILD)/obj/%.o)
BENCH_OBJ := $(BENCH_SRC:%.c=$(BUILD)/obj/%.o)
MODEL_OBJ := $(MODEL_SRC:%.c=$(BUILD)/obj/%.o)
# What is loaded into other programs is never built with sanitizers of ours.
DOOR_OBJ := $(MODEL_SRC:%.c=$(BUILD)/door/%.o)
LIBDIR := $(BUILD)/lib/hitmap
SHAREDIR := $(BUILD)/share/hitmap
PLUGINS := $(patsubst model/qemu_%.c,$(LIBDIR)/libhitmap-qemu-%.so,$(wildcard model/qemu_api*.c))
HOOKS := $(LIBDIR)/libhitmap-hooks.a $(LIBDIR)/hooks.specs
HEAP := $(LIBDIR)/libhitmap-heap.so
MACHINES := $(patsubst configs/%,$(SHAREDIR)/%,$(wildcard configs/machines/*.conf))
TARGETS := $(patsubst configs/%,$(SHAREDIR)/%,$(wildcard configs/targets/*.conf))

UNIT := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))

# V=1 shows whole commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1)  $@')

all: $(BUILD)/hitmap $(PLUGINS) $(HOOKS) $(HEAP) $(MACHINES) $(TARGETS)

# A change of flags rebuilds: the flags are a file that changes only when they do. -Werror makes no
# other code: tests that call make must not rebuild what other tests run.
FLAGS_TEXT := $(CC) $(CPPFLAGS) $(filter-out -Werror,$(CFLAGS)) $(SANITIZE)
$(BUILD)/.flags: force
	@mkdir -p $(BUILD)
	@echo '$(FLAGS_TEXT)' | cmp -s - $@ || echo '$(FLAGS_TEXT)' >$@

$(BUILD)/obj/%.o: %.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

# Programs for the kernel: compiled for BPF, and part of hitmap as an array of bytes.
BPF_CLANG ?= clang
BPF_FLAGS := -target bpf -mcpu=v2 -O2 -g -Wall
$(BUILD)/gen/%_bpf.h: bpf/%.bpf.c src/%.h
	@mkdir -p $(@D)
	$(call say,BPF)
	$(Q)$(BPF_CLANG) $(BPF_FLAGS) -c -o $(@:.h=.o) $<
	$(Q){ echo 'static const unsigned char $*_bpf[] __attribute__((aligned(8))) = {'; \
		od -An -v -tx1 $(@:.h=.o) | sed 's/ \([0-9a-f]*\)/0x\1,/g'; echo '};'; } >$@
$(BUILD)/obj/src/kmem_bpf.o: $(BUILD)/gen/kernel_read_bpf.h

$(BUILD)/door/%.o: %.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(BUILD)/libhitmap.a: $(filter-out $(BUILD)/obj/src/main.o,$(OBJ)) $(BENCH_OBJ)
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $^

$(BUILD)/libmodel.a: $(MODEL_OBJ)
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $^

$(BUILD)/hitmap: $(BUILD)/obj/src/main.o $(BUILD)/libhitmap.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LDLIBS)

QEMU_OBJ := $(addprefix $(BUILD)/door/model/,qemu.o guest.o)
$(LIBDIR)/libhitmap-qemu-%.so: $(BUILD)/door/model/qemu_%.o $(QEMU_OBJ) $(DOOR_OBJ)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) -shared $(LDFLAGS) -o $@ $^ -lpthread

HOOKS_OBJ := $(addprefix $(BUILD)/door/model/,hooks.o hooks_atomic.o hooks_libc.o hooks_process.o)
$(LIBDIR)/libhitmap-hooks.a: $(HOOKS_OBJ) $(DOOR_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $^

# C++ exceptions pass through it.
$(BUILD)/door/model/heap.o: CFLAGS += -fexceptions -fno-builtin
$(HEAP): $(BUILD)/door/model/heap.o
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) -shared $(LDFLAGS) -o $@ $^ -ldl -lpthread

$(LIBDIR)/hooks.specs: model/hooks.specs
	@mkdir -p $(@D)
	cp $< $@

$(SHAREDIR)/%: configs/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

# ---- Tests
$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libhitmap.a $(BUILD)/libmodel.a $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -MF $@.d -o $@ $< $(BUILD)/libhitmap.a \
		$(BUILD)/libmodel.a $(LDLIBS) -lcmocka

tests: all $(UNIT)

# Set-up comes first and in a make of its own: flags ask pkg-config for what it installs.
setup:
	@scripts/setup.sh

check: setup
	@scripts/check.sh

check-long: setup
	@scripts/check.sh long

# Verdicts on a grid of sharing patterns, with their score.
check-cases: setup
	@$(MAKE) --no-print-directory all
	@tests/grid/grid.sh $(BUILD)

demo: setup
	@$(MAKE) --no-print-directory all
	@scripts/demo.sh $(BUILD)

bench: setup
	@$(MAKE) --no-print-directory all
	@scripts/bench.sh $(BUILD)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/hitmap
	install -d $(DESTDIR)$(PREFIX)/share/hitmap/machines $(DESTDIR)$(PREFIX)/share/hitmap/targets
	install -m 755 $(BUILD)/hitmap $(DESTDIR)$(PREFIX)/bin/hitmap
	install -m 644 $(PLUGINS) $(HOOKS) $(HEAP) $(DESTDIR)$(PREFIX)/lib/hitmap
	install -m 644 $(MACHINES) $(DESTDIR)$(PREFIX)/share/hitmap/machines
	install -m 644 $(TARGETS) $(DESTDIR)$(PREFIX)/share/hitmap/targets

clean:
	rm -rf build build-asan build-debug build-asan-debug $(BUILD)

print-%:
	@echo '$($*)'

force:
.PHONY: all tests setup check check-long check-cases demo bench install clean force
.SECONDARY:

-include $(OBJ:.o=.d) $(BENCH_OBJ:.o=.d) $(MODEL_OBJ:.o=.d) $(UNIT:=.d) \
	$(wildcard $(BUILD)/door/model/*.d)
