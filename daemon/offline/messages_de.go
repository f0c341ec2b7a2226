package offline

// messagesDE holds the sentences in German; the English one is the key. A test holds that every sentence is here and that
// both have the same verbs.
var messagesDE = map[string]string{}
