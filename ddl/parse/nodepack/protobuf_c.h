/*
 * The part of protobuf-c's ABI that nodepack.c reads, as protobuf-c/protobuf-c.h of version 1 declares it
 * (https://github.com/protobuf-c/protobuf-c). pg_query_go brings protobuf-c, but no header that another module can
 * include.
 */
#ifndef NODEPACK_PROTOBUF_C_H
#define NODEPACK_PROTOBUF_C_H

#include <stddef.h>
#include <stdint.h>

#define PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC 0x28aaeef9
#define PROTOBUF_C_FIELD_FLAG_ONEOF (1 << 2)

typedef enum {
	PROTOBUF_C_LABEL_REQUIRED,
	PROTOBUF_C_LABEL_OPTIONAL,
	PROTOBUF_C_LABEL_REPEATED,
	PROTOBUF_C_LABEL_NONE,
} ProtobufCLabel;

typedef enum {
	PROTOBUF_C_TYPE_INT32,
	PROTOBUF_C_TYPE_SINT32,
	PROTOBUF_C_TYPE_SFIXED32,
	PROTOBUF_C_TYPE_INT64,
	PROTOBUF_C_TYPE_SINT64,
	PROTOBUF_C_TYPE_SFIXED64,
	PROTOBUF_C_TYPE_UINT32,
	PROTOBUF_C_TYPE_FIXED32,
	PROTOBUF_C_TYPE_UINT64,
	PROTOBUF_C_TYPE_FIXED64,
	PROTOBUF_C_TYPE_FLOAT,
	PROTOBUF_C_TYPE_DOUBLE,
	PROTOBUF_C_TYPE_BOOL,
	PROTOBUF_C_TYPE_ENUM,
	PROTOBUF_C_TYPE_STRING,
	PROTOBUF_C_TYPE_BYTES,
	PROTOBUF_C_TYPE_MESSAGE,
} ProtobufCType;

typedef struct {
	const char *name;
	uint32_t id;
	ProtobufCLabel label;
	ProtobufCType type;
	unsigned quantifier_offset;
	unsigned offset;
	const void *descriptor;
	const void *default_value;
	uint32_t flags;
	unsigned reserved_flags;
	void *reserved2;
	void *reserved3;
} ProtobufCFieldDescriptor;

typedef struct {
	uint32_t magic;
	const char *name;
	const char *short_name;
	const char *c_name;
	const char *package_name;
	size_t sizeof_message;
	unsigned n_fields;
	const ProtobufCFieldDescriptor *fields;
	const unsigned *fields_sorted_by_name;
	unsigned n_field_ranges;
	const void *field_ranges;
	void (*message_init)(void *message);
	void *reserved1;
	void *reserved2;
	void *reserved3;
} ProtobufCMessageDescriptor;

typedef struct {
	const ProtobufCMessageDescriptor *descriptor;
	unsigned n_unknown_fields;
	void *unknown_fields;
} ProtobufCMessage;

#endif
