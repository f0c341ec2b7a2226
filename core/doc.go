// Package core holds the nouns of jarvis: entities, ids, error codes and event types. They are what the store keeps,
// the API sends and the client receives, so their JSON names are a contract (secrets are never fields of an entity).
//
// It is a leaf: it imports nothing of ours and nothing outside the standard library, because the thin command links it.
package core
