package cli

import (
	"io"

	"github.com/spf13/cobra"
)

// BashPrelude goes before the completion script for bash: cobra's script calls functions of the package bash-completion, which
// is missing on small systems and on macOS. These do the little that it needs of them.
const BashPrelude = `# Where the package bash-completion is not loaded, these do what the script below needs of it.
if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
_get_comp_words_by_ref()
{
    local line=${COMP_LINE:0:COMP_POINT}
    read -r -a words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=
    ((cword > 0)) && prev=${words[cword - 1]}
    return 0
}
fi
if ! declare -F _filedir >/dev/null 2>&1; then
_filedir()
{
    local kind=-f IFS=$'\n'
    [[ ${1-} == -d ]] && kind=-d
    COMPREPLY=($(compgen $kind -- "$cur"))
    [[ $(type -t compopt) == builtin ]] && compopt -o filenames 2>/dev/null
    return 0
}
fi

`

// preludeBash makes jarvis completion bash print the prelude too.
func preludeBash(root *cobra.Command, out io.Writer) {
	if out != nil {
		root.SetOut(out) // the scripts go to what it is when their commands are made
	}
	root.InitDefaultCompletionCmd()
	cmd, _, err := root.Find([]string{"completion", "bash"})
	if err != nil || cmd.RunE == nil {
		return
	}
	script := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := writeAll(root.OutOrStdout(), BashPrelude); err != nil {
			return err
		}
		return script(cmd, args)
	}
}
