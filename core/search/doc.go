// Package search finds messages: it parses what a person types, keeps a derived index level with the store, and cuts the lines
// that show a hit. It sees no store and no search library; what it needs of them are Store and Index.
package search
