// Package config is the one configuration file: its struct with defaults and the documentation of every field, strict
// decoding, the environment over it, hot reload, and editing that keeps what it does not touch. It may not import anything
// that uses a configuration, and it never writes the file but through Set and Edit, on a person's command.
package config

import (
	"path/filepath"
	"time"
)

// Config is the whole file. Defaults are in Default; the `doc` tags are what schema, man page and help show, `enum` lists the
// values a string may have, `restart` marks what a running daemon cannot change, `later` what
// this version reads and does not use yet.
type Config struct {
	Model         string                    `yaml:"model" doc:"Model to use: provider/model, a bare name or an alias; auto takes the first configured one that answers."`
	Language      string                    `yaml:"language" enum:"auto,en,de" doc:"Language of screen and daemon; auto takes the locale's."`
	Theme         string                    `yaml:"theme" enum:"auto,dark,light,plain" doc:"Colours of the screen; auto goes by the terminal. Plain has none, as with NO_COLOR."`
	Listen        string                    `yaml:"listen" restart:"true" doc:"TCP address, host:port; empty means the socket only. Anything but loopback needs tls."`
	TLS           TLS                       `yaml:"tls" restart:"true" doc:"off, auto (a self-signed certificate), or {cert: FILE, key: FILE}."`
	PublicURL     string                    `yaml:"public_url" later:"true" doc:"Address under which the daemon is reached from outside, for webhooks and share links."`
	Providers     map[string]ProviderConfig `yaml:"providers" doc:"Services with language models, by name; merged over what the environment offers."`
	Aliases       map[string]string         `yaml:"aliases" doc:"Short names of models: name: provider/model."`
	MaxIterations int                       `yaml:"max_iterations" min:"1" doc:"How many requests one chain may make."`
	MaxTokens     int                       `yaml:"max_tokens" min:"1" doc:"Default limit of one answer, in tokens."`
	Limits        Limits                    `yaml:"limits" doc:"How large things may be."`
	IdleExit      Duration                  `yaml:"idle_exit" doc:"After this time without work a daemon that a command started ends; 0 means it stays."`
	Backup        Backup                    `yaml:"backup" doc:"Backups made without being asked."`
	ModelMirror   string                    `yaml:"model_mirror" doc:"Address from which models are fetched instead of their publishers."`
	Store         string                    `yaml:"store" later:"true" restart:"true" doc:"Address of the store; empty means a bbolt file in the home."`
	Log           Log                       `yaml:"log" doc:"The daemon's log."`
	Budgets       []Budget                  `yaml:"budgets" doc:"How much may be spent, by whom."`
	Permissions   Permissions               `yaml:"permissions" later:"true" doc:"What tools may do without asking."`
	Sandbox       Sandbox                   `yaml:"sandbox" later:"true" doc:"The fence around commands that a model runs."`
	Network       Network                   `yaml:"network" doc:"Rules for web_fetch, webhooks, image and model downloads."`
	WebSearch     WebSearch                 `yaml:"web_search" later:"true" doc:"Service behind the web_search tool."`
	Concurrency   Concurrency               `yaml:"concurrency" doc:"How many requests run at once; 0 means no limit."`
	Embedder      string                    `yaml:"embedder" later:"true" doc:"Model that makes vectors for search; auto takes the best that is there."`
	VisionModel   string                    `yaml:"vision_model" later:"true" doc:"Model that looks at images for a model that cannot; auto takes the first that can."`
	Gateway       Gateway                   `yaml:"gateway" later:"true" doc:"The API for plugins."`
	Speech        Speech                    `yaml:"speech" later:"true" doc:"Microphone and speaker."`

	path    string
	order   []string          // names of Providers, in the file's order
	sources map[string]string // path of a value -> where it comes from; absent = default
}

// The types of a provider.
const (
	TypeAnthropic  = "anthropic"
	TypeOpenAI     = "openai"
	TypeGoogle     = "google"
	TypeOpenRouter = "openrouter"
	TypeCompatible = "openai-compatible"
	TypeOllama     = "ollama"
	TypeLocal      = "local"
	TypeBuiltin    = "builtin"
)

// ProviderConfig is one service as the file has it.
type ProviderConfig struct {
	Type    string            `yaml:"type,omitempty" enum:"anthropic,openai,google,openrouter,openai-compatible,ollama,local,builtin" doc:"Kind of service; by default its name, when that is a kind, else openai-compatible."`
	APIKey  Secret            `yaml:"api_key,omitempty" doc:"Key: the text itself, ${ENV_NAME} or file:/path."`
	BaseURL string            `yaml:"base_url,omitempty" doc:"Address of the service; by default the kind's own."`
	Headers map[string]Secret `yaml:"headers,omitempty" doc:"Further request headers; the values may be secrets."`
	Models  []ModelConfig     `yaml:"models,omitempty" doc:"Models that the service does not list itself, or lists without window and price."`
}

// ModelConfig is what the file says about one model of a provider.
type ModelConfig struct {
	ID            string `yaml:"id" doc:"Name of the model at the provider."`
	ContextWindow int    `yaml:"context_window,omitempty" min:"0" doc:"Tokens that prompt and answer may have together; 0 means unknown."`
	MaxOutput     int    `yaml:"max_output,omitempty" min:"0" doc:"Tokens that one answer may have; 0 means unknown."`
	USDPerMTok    *Price `yaml:"usd_per_mtok,omitempty" doc:"Dollars a million tokens; absent means unknown."`
	Images        *bool  `yaml:"images,omitempty" doc:"Whether it takes images; absent means what is known of it, and trying when nothing is."`
	PDF           *bool  `yaml:"pdf,omitempty" doc:"Whether it takes PDF files; absent likewise."`
	Tools         *bool  `yaml:"tools,omitempty" doc:"Whether it calls tools; absent likewise."`
}

// Price is in dollars a million tokens.
type Price struct {
	In         float64 `yaml:"in" min:"0" doc:"Tokens of the prompt."`
	Out        float64 `yaml:"out" min:"0" doc:"Tokens of the answer."`
	CacheRead  float64 `yaml:"cache_read,omitempty" min:"0" doc:"Tokens read from the provider's cache."`
	CacheWrite float64 `yaml:"cache_write,omitempty" min:"0" doc:"Tokens written to the provider's cache."`
}

// Limits are sizes in bytes.
type Limits struct {
	Prompt        Size `yaml:"prompt" min:"1" doc:"Text of one request."`
	Attachment    Size `yaml:"attachment" min:"1" doc:"One attached file."`
	Request       Size `yaml:"request" min:"1" doc:"One request to the daemon, attachments included."`
	ModelLine     Size `yaml:"model_line" min:"1" doc:"One line of a provider's stream."`
	ToolArguments Size `yaml:"tool_arguments" min:"1" doc:"Arguments of one tool call."`
	Journals      Size `yaml:"journals" min:"1" doc:"All journals together; when they grow beyond it, those of the oldest answers go, but for pinned sessions."`
	Import        Size `yaml:"import" min:"1" doc:"One file of jarvis session import, attachments included."`
}

// Backup says when backups are made.
type Backup struct {
	Every string `yaml:"every" doc:"Time between two backups in the folder backups, such as 24h, an hour at least; empty means none."`
	Keep  int    `yaml:"keep" min:"1" doc:"How many of those are kept."`
}

// Interval is the time between two backups; 0 means that none are made.
func (b Backup) Interval() time.Duration {
	d, _ := ParseDuration(b.Every) // it has been validated
	return time.Duration(d)
}

// Log is the daemon's log.
type Log struct {
	Level        string `yaml:"level" enum:"debug,info,warn,error" doc:"Least level that is written."`
	Format       string `yaml:"format" enum:"auto,text,json" doc:"auto is text on a terminal and JSON in a file."`
	Payloads     bool   `yaml:"payloads" doc:"Also write each request to a model and its answer, secrets removed, into logs/payloads, one file a question; the oldest go beyond 256 MiB."`
	PayloadsGzip bool   `yaml:"payloads_gzip" doc:"Compress those."`
}

// Budget limits what may be spent. 0 means no limit.
type Budget struct {
	For        string  `yaml:"for" doc:"all, agent:ID, user:NAME, session:ID or chain; plugin:ID and key:KID limit nothing yet."`
	DailyUSD   float64 `yaml:"daily_usd,omitempty" min:"0" doc:"Dollars a day; of a chain, in all. 0 means no limit."`
	MonthlyUSD float64 `yaml:"monthly_usd,omitempty" min:"0" doc:"Dollars a month; 0 means no limit."`
}

// Permissions are the rules of the first hour; those that people add later lie in the store.
type Permissions struct {
	Mode  string   `yaml:"mode" enum:"plan,ask,auto,full" doc:"plan reads only, ask asks before effects, auto allows writes in the workspace and fenced commands, full never asks."`
	Allow []string `yaml:"allow" doc:"Rules for what is allowed without asking: tool or tool(pattern)."`
	Deny  []string `yaml:"deny" doc:"Rules for what is never allowed."`
}

// Sandbox is the fence around commands.
type Sandbox struct {
	Mode     string   `yaml:"mode" enum:"on,off" doc:"off runs commands without a fence; every status line shows that."`
	ReadOnly []string `yaml:"read_only" doc:"Further folders that commands may read."`
}

// Network is the one rule for requests to addresses that a model or a person names.
type Network struct {
	AllowPrivate []string `yaml:"allow_private" later:"true" doc:"Private hosts or networks (CIDR) that may be reached."`
	Proxy        string   `yaml:"proxy" doc:"env takes HTTPS_PROXY and its kin, off uses none, else the address of a proxy."`
	CAFile       string   `yaml:"ca_file" doc:"File with further certificates to trust, PEM."`
}

// WebSearch is the service behind web_search.
type WebSearch struct {
	Provider string `yaml:"provider" doc:"Name of the service; empty means none."`
	APIKey   Secret `yaml:"api_key" doc:"Its key: the text itself, ${ENV_NAME} or file:/path."`
}

// Concurrency bounds the requests that run at once. 0 means no limit.
type Concurrency struct {
	PerModel    int `yaml:"per_model" min:"0" doc:"Requests to one model."`
	PerProvider int `yaml:"per_provider" min:"0" doc:"Requests to one provider."`
}

// Gateway is the API for plugins.
type Gateway struct {
	CORSOrigins             []string `yaml:"cors_origins" doc:"Origins whose pages may call it."`
	RatePerSecond           float64  `yaml:"rate_per_second" min:"0" doc:"Requests a second and key; 0 means no limit."`
	Burst                   int      `yaml:"burst" min:"0" doc:"Requests that may come at once."`
	AutonomousToolBlacklist []string `yaml:"autonomous_tool_blacklist" doc:"Tools that no plugin's agent may use on its own."`
	AutonomousMCPBlacklist  []string `yaml:"autonomous_mcp_blacklist" doc:"MCP servers that no plugin's agent may use on its own."`
}

// Speech is microphone and speaker.
type Speech struct {
	Language string `yaml:"language" doc:"Language that is spoken, as de or en."`
	STT      string `yaml:"stt" doc:"Engine that turns speech into text; auto takes the first that is there."`
	TTS      string `yaml:"tts" doc:"Engine that turns text into speech; auto takes the first that is there."`
}

// Default is the configuration of an empty file.
func Default() *Config {
	return &Config{
		Model: "auto", Language: "auto", Theme: "auto", Listen: "127.0.0.1:8088", TLS: TLS{Mode: "off"},
		Providers: map[string]ProviderConfig{}, Aliases: map[string]string{},
		MaxIterations: 100, MaxTokens: 4096,
		Limits: Limits{Prompt: 10 << 20, Attachment: 32 << 20, Request: 64 << 20, ModelLine: 16 << 20, ToolArguments: 1 << 20, Journals: 1 << 30, Import: 512 << 20},
		Backup: Backup{Keep: 7}, Log: Log{Level: "info", Format: "auto"}, Budgets: []Budget{},
		Permissions: Permissions{Mode: "ask", Allow: []string{}, Deny: []string{}},
		Sandbox:     Sandbox{Mode: "on", ReadOnly: []string{}},
		Network:     Network{AllowPrivate: []string{}, Proxy: "env"},
		Embedder:    "auto", VisionModel: "auto",
		Gateway: Gateway{
			CORSOrigins: []string{"*"}, RatePerSecond: 10, Burst: 20,
			AutonomousToolBlacklist: []string{}, AutonomousMCPBlacklist: []string{},
		},
		Speech:  Speech{Language: "de", STT: "auto", TTS: "auto"},
		sources: map[string]string{},
	}
}

// Path is the file it was read from; the file need not exist.
func (c *Config) Path() string { return c.path }

// dir is where a relative file: secret is looked for.
func (c *Config) dir() string {
	if c.path == "" {
		return ""
	}
	return filepath.Dir(c.path)
}
