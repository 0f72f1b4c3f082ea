package parse

import (
	"reflect"
	"sync"
)

// Walk calls visit for a message of PostgreSQL's tree and for everything under it, parents first. visit
// tells whether to go on below a message.
func Walk(message any, visit func(message any) bool) {
	if visit(message) {
		children(message, func(child any) { Walk(child, visit) })
	}
}

// children calls each for every message that a message has, by reflection: a kind of node that nobody
// thought of is walked like any other.
func children(message any, each func(child any)) {
	v := reflect.ValueOf(message)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return
	}
	v = v.Elem()
	for _, i := range holders(v.Type()) {
		field := v.Field(i)
		switch field.Kind() {
		case reflect.Pointer:
			if !field.IsNil() {
				each(field.Interface())
			}
		case reflect.Slice:
			for j := range field.Len() {
				if item := field.Index(j); !item.IsNil() {
					each(item.Interface())
				}
			}
		default:
			// One of several kinds: a wrapper with the message as its only field.
			if !field.IsNil() {
				children(field.Interface(), each)
			}
		}
	}
}

// holders are the fields of a type of message that hold other messages. Most are strings, numbers and flags, and
// the types are few, so what is found is kept.
func holders(t reflect.Type) []int {
	if known, ok := holderFields.Load(t); ok {
		return known.([]int)
	}
	var fields []int
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && holdsMessages(f.Type) {
			fields = append(fields, i)
		}
	}
	holderFields.Store(t, fields)
	return fields
}

// holderFields is holders by type; it grows no further than PostgreSQL's kinds of node.
//
//nolint:gochecknoglobals // a cache of what never changes
var holderFields sync.Map

// holdsMessages tells whether a field of a type may hold messages.
func holdsMessages(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer:
		return t.Elem().Kind() == reflect.Struct
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Pointer
	default:
		return false
	}
}
