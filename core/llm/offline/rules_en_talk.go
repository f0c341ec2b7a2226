package offline

func englishTalk() []rule {
	return []rule{
		{class: classHelp, patterns: []string{
			`help [me] [out]`, `[show] [me] [the|some] help`,
			`i (need|could use|want) [some|your] help`,
			`(can|could|would|will) you [please] help [me] [out] [with (something|this|that|anything|it)]`,
			`how (can|could|do) you help [me]`,
			`can i get [some] help`,
			`what (can|could) you [actually|all|really] do [for (me|us)] [to help [me]]`,
			`what (can|could) you help [me|us] with`,
			`what else (can|could) you (do|help [me] with) [for me]`,
			`what (do|can) you (understand|know|support|do|offer)`,
			`what all can you do`,
			`what are you (able to do|capable of|good (at|for))`,
			`what are your (features|capabilities|skills|functions|commands|abilities|options|functionalities)`,
			`what is your (functionality|purpose)`,
			`[show|list|give|display|print] [me] [all|a list of|some] [the|your|available|possible] (commands|features|functions|options|capabilities|` +
				`examples|example commands|skills)`,
			`(which|what) (commands|features|functions|requests|questions|options|skills) (are there|are available|are supported|do you (know|have|` +
				`understand|support|offer)|can i (use|ask|give [you])|exist)`,
			`what (can|could|should|may|do) i (ask|say|do|type|tell|enter|use|ask for) [you] [here|to you|for|with you]`,
			`what can i use (you|this) for`,
			`what can i do with (you|this|jarvis)`,
			`show [me] what you can [do]`,
			`(tell|show) me what you (can|know how to) do`,
			`what you can do`,
			`how do i (use|work with|operate|talk to|start with) (this|you|it|this thing)`,
			`how to use (this|you|it|jarvis)`,
			`how (does|do) (this|it|you) work`,
			`how can i use (this|you|it)`,
			`what (sort|sorts|kind|kinds|type|types) of (things|questions|requests|tasks|stuff|commands) (do you know how to do|can you (do|answer|` +
				`handle|help [me] with|understand)|do you (understand|support|know)|can i (ask|say|do) [you]|are you able to do)`,
			`give me [some|a few] examples [of (what|things) [i] can (ask|type|say|do)]`,
			`what is possible [here]`, `usage`, `commands`,
			`i (do not|am not sure) (know|sure) (what|how) to (ask|do|say|type|use this)`,
			`i am (lost|stuck)`, `how do i get started`, `getting started`, `instructions`, `manual`, `what are my options`,
			`what things can you do`,
			`(explain|tell me) how (this|it) works`,
			`what tools do you have`, `what do you do`, `menu`,
			`what can (jarvis|this thing|this program|this tool|this assistant|this bot|it|we) do [for me]`,
			`how does (jarvis|this program|this thing|this tool) work`,
			`(explain|describe|list|tell me|tell me about|show me) [to me] (what you can do|your abilities|your capabilities|your features|your commands|` +
				`your skills|your functions|how you work|how to use (you|this|it|jarvis)|everything you can do|all you can do|the things you can do|` +
				`things you can do)`,
			`(what|which) [are] [all] [the|your] [available|supported|possible|valid] (commands|features|functions|options|capabilities|abilities|` +
				`skills) [are there|do you have|can i use|do you offer]`,
			`(which|what) (questions|requests|things|tasks|commands|kinds of questions|stuff) can (you|jarvis) (answer|handle|do|help [me] with|` +
				`understand|perform)`,
			`(give|show|get) [me] (an overview|a list|the list|an overview list|a summary|some examples) of [all] [the|your] (commands|features|` +
				`functions|options|capabilities|abilities|things [that] you can do|what you can do|skills)`,
			`[an] overview [of [your|the] (commands|features|functions)]`,
			`what (do|should) i (do|type|say) (here|now|first)`,
			`(any|some) help`,
			`i need (assistance|support|a hand)`,
			`(can|could) (you|anyone|somebody|someone) (help|assist) [me] [please]`,
			`how (do|can) i (talk|speak) (to|with) you`,
			`what am i able to (ask|do)`, `what would you be able to do`, `what do you (offer|support)`,
			`which (topics|areas) do you (know|cover)`,
			`how can i (get help|start)`,
			`(is there|do you have) a (manual|help [page]|list of commands)`,
		}},
		{class: classSmalltalk, topic: "how", patterns: []string{
			`[hi|hello|hey] [there] [jarvis] how are you [doing] [today]`,
			`how is it going [today]`, `how do you do`,
			`are you (ok|okay|well|fine|there)`,
			`how have you been`, `how are things`, `you alright`,
		}},
		{class: classSmalltalk, topic: "thanks", patterns: []string{
			`[great|perfect|ok|okay|nice|cool|awesome|wonderful|super|good|excellent|brilliant|all right|alright|many] (thanks|thank you|thx|ty|cheers|` +
				`thank u|much appreciated|appreciate it) [very much|so much|a lot|a bunch|a million|jarvis|again|kindly] [for (your|the|all) (help|work|` +
				`answer|all)] [for that] [that (was helpful|helped [a lot]|is great)]`,
			`that (was|is) (helpful|great|perfect|all) [thanks]`,
			`(well done|good job|nice work|great work|good work|nice one|nice job|great job|perfect|awesome)`,
			`you (are (great|awesome|helpful|the best)|rock)`,
			`i appreciate (it|that|your help)`,
		}},
		{class: classSmalltalk, topic: "night", patterns: []string{`[and] good night [jarvis] [sleep well]`, `night [night]`, `sleep well`}},
		{class: classSmalltalk, topic: "bye", patterns: []string{
			`(bye|goodbye|good bye|bye bye|farewell|ciao|cya|take care) [for now|then|jarvis] [see you]`,
			`see (you|ya) [later|soon|tomorrow|around|then]`,
			`have a (nice|good|great) (day|evening|weekend|one|night)`,
			`talk to you (later|soon)`,
			`until (next time|later|tomorrow)`,
			`i am (leaving|off|done for today)`,
		}},
		{class: classSmalltalk, topic: "identity", patterns: []string{
			`who [exactly|really|actually] are you [really|actually|exactly]`,
			`what [exactly|really|actually] are you [really|actually|exactly]`,
			`what is your name`, `who is (this|jarvis|there)`, `what is jarvis`,
			`are you [really|actually] [a|an] [real] (robot|bot|ai|human|person|language model|llm|machine|chatgpt|computer|program|` +
				`artificial intelligence|human being|assistant|chatbot|gpt|claude|alexa|siri)`,
			`(tell me something|tell me) about yourself`,
			`introduce yourself`,
			`what (should|can|do) i call you`,
			`do you have a name`, `your name`, `which model are you`,
			`what (language model|model|ai|llm) are you [using]`,
			`which (language model|model|ai|llm) (is this|do you use)`,
			`are you jarvis`,
			`who am i (talking|speaking|chatting) (to|with)`,
		}},
		{class: classSmalltalk, topic: "greeting", patterns: []string{
			`(hi|hello|hey|howdy|hiya|yo|greetings|hallo|hola|good (morning|evening|afternoon|day)|morning|evening|afternoon|hi there|hello there|` +
				`hey there|welcome back|nice to meet you|pleased to meet you|what is up|sup|wassup) [there|jarvis|again|everyone|my friend|buddy|to you|` +
				`jarvis my friend]`,
			`hi hi`, `hello hello`, `[i am] back again`,
		}},
	}
}
