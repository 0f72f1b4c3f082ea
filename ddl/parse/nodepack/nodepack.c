//go:build linux

#include "nodepack.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "protobuf_c.h"

extern const ProtobufCMessageDescriptor pg_query__node__descriptor;

size_t __real_pg_query__parse_result__get_packed_size(ProtobufCMessage *message);
size_t __wrap_pg_query__parse_result__get_packed_size(ProtobufCMessage *message);

/* single[i] is the descriptor of a PgQuery__Node with kind i + 1 set; NULL when they could not be made. */
static ProtobufCMessageDescriptor *single;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static atomic_bool disabled;
static atomic_uint_fast64_t narrowed;

/* Whether a node is what this file takes it for: a oneof of messages, with the numbers 1 to n. */
static bool node_is_as_known(const ProtobufCMessageDescriptor *node)
{
	if (node->magic != PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC || node->n_fields == 0)
		return false;
	for (unsigned i = 0; i < node->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &node->fields[i];

		if (field->id != i + 1 || field->type != PROTOBUF_C_TYPE_MESSAGE ||
		    !(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
		    field->quantifier_offset != node->fields[0].quantifier_offset)
			return false;
	}
	return true;
}

static void make_single(void)
{
	const ProtobufCMessageDescriptor *node = &pg_query__node__descriptor;

	if (!node_is_as_known(node))
		return;
	single = calloc(node->n_fields, sizeof(*single));
	for (unsigned i = 0; single != NULL && i < node->n_fields; i++) {
		single[i] = *node;
		single[i].n_fields = 1;
		single[i].fields = &node->fields[i];
	}
}

static unsigned narrow(ProtobufCMessage *message);

/* What a field holds; a oneof's field only where it is the one that is set. */
static unsigned narrow_field(const char *message, const ProtobufCFieldDescriptor *field)
{
	const void *member = message + field->offset;
	const void *quantifier = message + field->quantifier_offset;
	unsigned count = 0;

	if (field->type != PROTOBUF_C_TYPE_MESSAGE)
		return 0;
	if (field->label == PROTOBUF_C_LABEL_REPEATED) {
		ProtobufCMessage **of = *(ProtobufCMessage ***) member;

		for (size_t i = 0; i < *(const size_t *) quantifier; i++)
			count += narrow(of[i]);
		return count;
	}
	if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) && *(const uint32_t *) quantifier != field->id)
		return 0;
	return narrow(*(ProtobufCMessage **) member);
}

/*
 * Gives each node at and under message the descriptor of its kind, and counts them. A tree is as deep as its text
 * nests, which protobuf-c's own recursion bears too.
 */
static unsigned narrow(ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *descriptor;
	unsigned count = 0;

	if (message == NULL)
		return 0;
	descriptor = message->descriptor;
	if (descriptor == &pg_query__node__descriptor) {
		uint32_t kind = *(uint32_t *) ((char *) message + descriptor->fields[0].quantifier_offset);

		if (kind == 0 || kind > descriptor->n_fields)
			return 0;
		message->descriptor = descriptor = &single[kind - 1];
		count = 1;
	}
	for (unsigned i = 0; i < descriptor->n_fields; i++)
		count += narrow_field((const char *) message, &descriptor->fields[i]);
	return count;
}

/* pg_query asks for the size of a whole tree before it packs it. */
size_t __wrap_pg_query__parse_result__get_packed_size(ProtobufCMessage *message)
{
	pthread_once(&once, make_single);
	if (single != NULL && !atomic_load(&disabled))
		atomic_fetch_add(&narrowed, narrow(message));
	return __real_pg_query__parse_result__get_packed_size(message);
}

uint64_t nodepack_count(void)
{
	return atomic_load(&narrowed);
}

void nodepack_enable(bool on)
{
	atomic_store(&disabled, !on);
}
