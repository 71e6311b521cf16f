// SPDX-License-Identifier: GPL-2.0-only
#include "symtab_state.h"
#include "mem.h"
#include "symbol_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SEGMENTS  128 /* that are loaded: what searches them is quadratic */
#define SMALLEST_PAGE 4096
#define LARGEST_PAGE  65536 /* of any kernel; p_align may be more */

/* Marks that linkers and start files put between objects. They have no size and would claim what
 * follows them. */
static const char *const linker_marks[] = {
	"__bss_start",
	"__bss_start__",
	"__bss_end__",
	"_bss_end__",
	"_edata",
	"edata",
	"_end",
	"end",
	"__end__",
	"_etext",
	"etext",
	"__etext",
	"data_start",
	"__data_start",
	"__TMC_END__",
	"__dso_handle",
	"_DYNAMIC",
	"_GLOBAL_OFFSET_TABLE_",
	"__FRAME_END__",
	"__GNU_EH_FRAME_HDR",
	"__executable_start",
};

/* ---- opening */

struct err *symtab_open_regular(const char *path, int *fd)
{
	struct stat st;

	/* Not blocking: a path from a recording may be a FIFO by now. */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return err_errno(ERR_FAILED, errno, "elf: %s", path);
	if (fstat(*fd, &st) || !S_ISREG(st.st_mode)) {
		close(*fd);
		*fd = -1;
		return err_new(ERR_FAILED, "elf: %s: not a regular file", path);
	}
	return NULL;
}

static void read_segments(struct symtab *s)
{
	size_t count = 0;

	if (elf_getphdrnum(s->elf, &count))
		return;
	for (size_t i = 0; i < count && i < MAX_HEADERS && s->segments < MAX_SEGMENTS; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(s->elf, (int)i, &ph))
			continue;
		if (ph.p_type == PT_TLS && ph.p_memsz < UINT32_MAX)
			s->thread_block = (struct symtab_thread_block){ ph.p_memsz, ph.p_align };
		if (ph.p_type != PT_LOAD)
			continue;
		if (ph.p_vaddr + ph.p_memsz < ph.p_vaddr || ph.p_offset + ph.p_filesz < ph.p_offset)
			continue;
		mem_grow(&s->segment, &s->segment_room, s->segments);
		s->segment[s->segments++] = (struct symtab_segment){
			.addr = ph.p_vaddr,
			.size = ph.p_memsz,
			.offset = ph.p_offset,
			.file_size = ph.p_filesz,
			.page = ph.p_align >= LARGEST_PAGE ? LARGEST_PAGE : SMALLEST_PAGE,
			.code = ph.p_flags & PF_X,
		};
	}
}

static int compare_sections(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	return CMP(x->addr, y->addr) ?: CMP(x->end, y->end);
}

static void read_sections(struct symtab *s)
{
	size_t names = 0;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(s->elf, &names))
		return;
	while ((scn = elf_nextscn(s->elf, scn))) {
		GElf_Shdr sh;
		const char *name;

		/* .tbss takes no room in memory: it overlaps what follows. */
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) || !sh.sh_size ||
		    (sh.sh_flags & SHF_TLS && sh.sh_type == SHT_NOBITS) ||
		    sh.sh_addr + sh.sh_size < sh.sh_addr)
			continue;
		name = elf_strptr(s->elf, names, sh.sh_name);
		mem_grow(&s->section, &s->section_room, s->sections);
		s->section[s->sections++] = (struct section){
			.addr = sh.sh_addr,
			.end = sh.sh_addr + sh.sh_size,
			.name = intern_string(s->pool, name ? name : ""),
			.code = sh.sh_flags & SHF_EXECINSTR,
		};
	}
	if (s->sections)
		qsort(s->section, s->sections, sizeof(*s->section), compare_sections);
}

static void note_build_id(struct symtab *s, Elf_Data *data)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr nh;

	while (at < data->d_size && (next = gelf_getnote(data, at, &nh, &name, &desc)) > at) {
		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 && nh.n_descsz &&
		    nh.n_descsz <= sizeof(s->build_id) &&
		    !memcmp((char *)data->d_buf + name, "GNU", 4)) {
			memcpy(s->build_id, (char *)data->d_buf + desc, nh.n_descsz);
			s->build_id_size = nh.n_descsz;
			return;
		}
		at = next;
	}
}

static void read_build_id(struct symtab *s)
{
	size_t count = 0;

	if (elf_getphdrnum(s->elf, &count))
		return;
	for (size_t i = 0; i < count && i < MAX_HEADERS && !s->build_id_size; i++) {
		GElf_Phdr ph;
		Elf_Data *data;

		if (!gelf_getphdr(s->elf, (int)i, &ph) || ph.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(s->elf, (int64_t)ph.p_offset, ph.p_filesz,
					    ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data && data->d_buf)
			note_build_id(s, data);
	}
}

struct err *symtab_open(const char *path, struct intern *pool, struct symtab **out)
{
	struct symtab *s;
	struct err *e;
	int fd;

	*out = NULL;
	if ((e = symtab_open_regular(path, &fd)))
		return e;
	s = mem_zalloc(sizeof(*s));
	s->pool = pool;
	s->fd = fd;
	elf_version(EV_CURRENT);
	/* Read, not mapped: a file that shrinks under us must not end us. */
	s->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (s->elf && elf_kind(s->elf) == ELF_K_ELF && gelf_getehdr(s->elf, &s->header)) {
		read_segments(s);
		read_sections(s);
		read_build_id(s);
	}
	if (!s->segments && !s->sections) {
		symtab_free(s);
		return NULL;
	}
	*out = s;
	return NULL;
}

void symtab_free(struct symtab *s)
{
	if (!s)
		return;
	elf_end(s->elf);
	close(s->fd);
	free(s->segment);
	free(s->section);
	free(s->code.item);
	free(s->data.item);
	free(s->tls.item);
	free(s);
}

/* ---- segments and sections */

const struct symtab_segment *symtab_segment(const struct symtab *s, uint32_t i)
{
	return i < s->segments ? &s->segment[i] : NULL;
}

static const struct symtab_segment *segment_of_offset(const struct symtab *s, uint64_t offset)
{
	for (uint32_t i = 0; i < s->segments; i++)
		if (offset >= s->segment[i].offset &&
		    offset - s->segment[i].offset < s->segment[i].file_size)
			return &s->segment[i];
	return NULL;
}

bool symtab_offset_to_addr(const struct symtab *s, uint64_t offset, uint64_t *addr)
{
	const struct symtab_segment *g = segment_of_offset(s, offset);

	if (!g)
		return false;
	*addr = g->addr + (offset - g->offset);
	return true;
}

bool symtab_extent(const struct symtab *s, uint64_t *low, uint64_t *high)
{
	*low = UINT64_MAX;
	*high = 0;
	for (uint32_t i = 0; i < s->segments; i++) {
		const struct symtab_segment *g = &s->segment[i];

		*low = g->addr < *low ? g->addr : *low;
		*high = g->addr + g->size > *high ? g->addr + g->size : *high;
	}
	return *low < *high;
}

bool symtab_is_code(const struct symtab *s, uint64_t offset)
{
	const struct symtab_segment *exact = segment_of_offset(s, offset);

	if (exact)
		return exact->code;
	for (uint32_t i = 0; i < s->segments; i++)
		if ((s->segment[i].offset & -s->segment[i].page) == offset)
			return s->segment[i].code;
	return false;
}

const uint8_t *symtab_build_id(const struct symtab *s, uint8_t *size)
{
	*size = s->build_id_size;
	return s->build_id_size ? s->build_id : NULL;
}

static const struct section *section_at(const struct symtab *s, uint64_t addr)
{
	uint32_t low = 0, high = s->sections;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->section[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < s->section[low - 1].end ? &s->section[low - 1] : NULL;
}

bool symtab_section(struct symtab *s, uint64_t addr, struct symbol *sym)
{
	const struct section *sec = section_at(s, addr);

	if (!sec || !*sec->name)
		return false;
	*sym = (struct symbol){ sec->name, sec->addr, sec->end - sec->addr };
	return true;
}

/* ---- symbol tables */

static bool is_linker_mark(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(linker_marks); i++)
		if (!strcmp(name, linker_marks[i]))
			return true;
	return false;
}

/* Typed before untyped, global before weak before local. */
static uint8_t symbol_rank(const GElf_Sym *sym)
{
	uint8_t bind = GELF_ST_BIND(sym->st_info);

	return 4 * (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE) + (bind == STB_GLOBAL ? 0
								 : bind == STB_WEAK ? 1
										    : 2);
}

enum place { PLACE_NONE, PLACE_CODE, PLACE_DATA, PLACE_SECTION, PLACE_TLS };

/* The value of STT_TLS is an offset in each thread's block, not an address. */
static const uint8_t places[16] = {
	[STT_NOTYPE] = PLACE_SECTION, [STT_OBJECT] = PLACE_DATA,    [STT_FUNC] = PLACE_CODE,
	[STT_COMMON] = PLACE_DATA,    [STT_GNU_IFUNC] = PLACE_CODE, [STT_TLS] = PLACE_TLS,
};

static void add_symbol(struct symtab *s, const GElf_Sym *sym, const char *name)
{
	const struct section *sec = section_at(s, sym->st_value);
	enum place place = places[GELF_ST_TYPE(sym->st_info)];
	struct symbol_table *t;

	if (place == PLACE_NONE || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS ||
	    !name || !*name || *name == '$' || !strncmp(name, ".L", 2) ||
	    sym->st_value + sym->st_size < sym->st_value)
		return;
	if (!sym->st_size && (!sec || place == PLACE_TLS || is_linker_mark(name)))
		return;
	if (place == PLACE_SECTION)
		place = sec && sec->code ? PLACE_CODE : PLACE_DATA;
	t = place == PLACE_CODE ? &s->code : place == PLACE_TLS ? &s->tls : &s->data;
	if (t->count == UINT32_MAX / 2)
		return;
	mem_grow(&t->item, &t->room, t->count);
	t->item[t->count++] = (struct raw_symbol){
		.addr = sym->st_value,
		.end = sym->st_value + sym->st_size,
		.name = name,
		.rank = symbol_rank(sym),
		.sized = sym->st_size,
	};
}

static void read_symbols(struct symtab *s, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr sh;
	size_t count;

	if (!data || !gelf_getshdr(scn, &sh) || !sh.sh_entsize)
		return;
	count = data->d_size / sh.sh_entsize;
	for (size_t i = 1; i < count && i < INT32_MAX; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			return;
		add_symbol(s, &sym, elf_strptr(s->elf, sh.sh_link, sym.st_name));
	}
}

Elf_Scn *symtab_section_of_type(struct symtab *s, uint32_t type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(s->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type)
			return scn;
	return NULL;
}

Elf_Data *symtab_section_data(struct symtab *s, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(s->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(s->elf, scn))) {
		const char *own = gelf_getshdr(scn, &sh) ? elf_strptr(s->elf, names, sh.sh_name)
							 : NULL;

		if (own && !strcmp(own, name))
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

static size_t underscores(const char *name)
{
	/* A mangled name begins with one that its author did not write. */
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R') ? 0 : strspn(name, "_");
}

/* Outer symbols come before those they hold, the best name first among aliases. */
static int compare_symbols(const void *a, const void *b)
{
	const struct raw_symbol *x = a, *y = b;

	return CMP(x->addr, y->addr) ?: CMP(y->end, x->end) ?: CMP(x->rank / 4, y->rank / 4) ?:
	       CMP(underscores(x->name), underscores(y->name)) ?: CMP(x->rank, y->rank) ?:
	       CMP(strlen(x->name), strlen(y->name)) ?: strcmp(x->name, y->name);
}

/* A label without a size inside an object that has one, or beside one, adds nothing: it is dropped.
 */
static void drop_labels(struct symbol_table *t)
{
	uint64_t reach = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		if (!t->item[i].sized && t->item[i].addr < reach)
			continue;
		reach = t->item[i].end > reach ? t->item[i].end : reach;
		t->item[kept++] = t->item[i];
	}
	t->count = kept;
}

static void extend_unsized(const struct symtab *s, struct symbol_table *t)
{
	for (uint32_t i = 0, next = 0; i < t->count; i++) {
		struct raw_symbol *x = &t->item[i];
		const struct section *sec = x->sized ? NULL : section_at(s, x->addr);

		for (next = next > i ? next : i; next < t->count && t->item[next].addr == x->addr;)
			next++;
		if (!sec)
			continue;
		x->end = sec->end;
		if (next < t->count && t->item[next].addr < x->end)
			x->end = t->item[next].addr;
	}
}

static void drop_aliases(struct symbol_table *t)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->count; i++)
		if (!kept || t->item[kept - 1].addr != t->item[i].addr ||
		    t->item[kept - 1].end != t->item[i].end)
			t->item[kept++] = t->item[i];
	t->count = kept;
}

/* Symbols that nest are rare, so a chain to the one around is all that is kept of them. */
static void link_outer(struct symbol_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t o = i ? i - 1 : 0;

		while (t->item[o].end <= t->item[i].addr && t->item[o].outer != o)
			o = t->item[o].outer;
		t->item[i].outer = i && t->item[o].end > t->item[i].addr ? o : i;
	}
}

static void seal(const struct symtab *s, struct symbol_table *t)
{
	if (!t->count)
		return;
	qsort(t->item, t->count, sizeof(*t->item), compare_symbols);
	drop_labels(t);
	extend_unsized(s, t);
	drop_aliases(t);
	link_outer(t);
}

static void build(struct symtab *s)
{
	Elf_Scn *scn;

	if (s->built)
		return;
	s->built = true;
	if (s->header.e_type == ET_REL) /* values are offsets in sections, not addresses */
		return;
	scn = symtab_section_of_type(s, SHT_SYMTAB);
	if (!scn)
		scn = symtab_section_of_type(s, SHT_DYNSYM);
	if (scn)
		read_symbols(s, scn);
	seal(s, &s->code);
	seal(s, &s->data);
	seal(s, &s->tls);
}

static bool find(struct symtab *s, struct symbol_table *t, uint64_t addr, bool parameters,
		 struct symbol *sym)
{
	uint32_t low = 0, high, i;

	build(s);
	high = t->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->item[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	for (i = low - 1; t->item[i].end <= addr; i = t->item[i].outer)
		if (t->item[i].outer == i)
			return false;
	*sym = (struct symbol){ symbol_name(s->pool, t->item[i].name, parameters), t->item[i].addr,
				t->item[i].end - t->item[i].addr };
	return true;
}

bool symtab_code(struct symtab *s, uint64_t addr, struct symbol *sym)
{
	return find(s, &s->code, addr, false, sym); /* no parameters: the name is enough */
}

bool symtab_data(struct symtab *s, uint64_t addr, struct symbol *sym)
{
	return find(s, &s->data, addr, true, sym);
}

bool symtab_tls(struct symtab *s, uint64_t offset, struct symbol *sym)
{
	return find(s, &s->tls, offset, true, sym);
}

const struct symtab_thread_block *symtab_thread_block(const struct symtab *s)
{
	return s->thread_block.size ? &s->thread_block : NULL;
}

uint64_t symtab_thread_offset(const struct symtab *s, int64_t from)
{
	uint64_t align = s->thread_block.align > 1 ? s->thread_block.align : 1;

	if (s->header.e_machine == EM_AARCH64)
		return from - (16 + align - 1) / align * align;
	return from + (s->thread_block.size + align - 1) / align * align;
}

/* ---- content */

uint16_t symtab_machine(const struct symtab *s)
{
	return s->header.e_machine;
}

size_t symtab_bytes(const struct symtab *s, uint64_t addr, uint8_t *to, size_t size)
{
	for (uint32_t i = 0; i < s->segments; i++) {
		const struct symtab_segment *g = &s->segment[i];
		uint64_t at = addr - g->addr;
		ssize_t got;

		if (addr < g->addr || at >= g->file_size)
			continue;
		if (size > g->file_size - at)
			size = g->file_size - at;
		got = pread(s->fd, to, size, (off_t)(g->offset + at));
		return got > 0 ? got : 0;
	}
	return 0;
}

bool symtab_debug_link(struct symtab *s, const char **name, uint32_t *crc)
{
	Elf_Data *data = symtab_section_data(s, ".gnu_debuglink");
	size_t length;

	if (!data || !data->d_buf)
		return false;
	length = strnlen(data->d_buf, data->d_size);
	/* The sum follows the name's end, at a multiple of four. */
	if (!length || (length + 4) / 4 * 4 + 4 > data->d_size || memchr(data->d_buf, '/', length))
		return false;
	memcpy(crc, (const char *)data->d_buf + (length + 4) / 4 * 4, sizeof(*crc));
	*name = intern_bytes(s->pool, data->d_buf, length);
	return true;
}

bool symtab_is_go(struct symtab *s)
{
	return symtab_section_data(s, ".gopclntab");
}

bool symtab_is_stripped(struct symtab *s)
{
	return !symtab_section_of_type(s, SHT_SYMTAB);
}

static bool is_function(struct symtab *s, const GElf_Sym *sym, const char *raw, const char *name)
{
	return raw && GELF_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF &&
	       (!strcmp(raw, name) ||
		(raw[0] == '_' && !strcmp(symbol_name(s->pool, raw, false), name)));
}

static bool find_function(struct symtab *s, uint32_t type, const char *name, uint64_t *addr)
{
	Elf_Scn *scn = symtab_section_of_type(s, type);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	if (!data || !gelf_getshdr(scn, &sh))
		return false;
	for (int i = 1; gelf_getsym(data, i, &sym); i++) {
		if (is_function(s, &sym, elf_strptr(s->elf, sh.sh_link, sym.st_name), name)) {
			*addr = sym.st_value;
			return true;
		}
	}
	return false;
}

/* Straight from the file: the tables keep one name of each address. */
bool symtab_function(struct symtab *s, const char *name, uint64_t *addr)
{
	return find_function(s, SHT_SYMTAB, name, addr) || find_function(s, SHT_DYNSYM, name, addr);
}
