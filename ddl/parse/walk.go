package parse

import "reflect"

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
	for i := range v.NumField() { //nolint:modernize // Value.Fields describes each field anew, which allocates
		field := v.Field(i)
		if !field.CanInterface() {
			continue // the message's own bookkeeping
		}
		switch field.Kind() {
		case reflect.Pointer:
			if !field.IsNil() && field.Elem().Kind() == reflect.Struct {
				each(field.Interface())
			}
		case reflect.Slice:
			for j := range field.Len() {
				if item := field.Index(j); item.Kind() == reflect.Pointer && !item.IsNil() {
					each(item.Interface())
				}
			}
		case reflect.Interface:
			// One of several kinds: a wrapper with the message as its only field.
			if !field.IsNil() {
				children(field.Interface(), each)
			}
		default:
		}
	}
}
