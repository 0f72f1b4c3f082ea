package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tablewright/tablewright/cmd/tablewright/internal/apply"
)

// exitCode ends the process with a code and no message of its own.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

const applyLong = `Runs .sql files against a gateway in tablewright.mode = apply: CREATE makes what is absent and leads what is
there to its definition, so that the same files can be run again and again.

A folder's files run in byte order of their paths, folders in it included; names that begin with a dot are left
out. Files hold SQL, transactions included, and no commands of psql. ${name} is replaced by --var name=value,
$${name} stands for ${name}.

Exit code: 0 done or nothing to do, 1 failed, 2 (--dry-run) something would change.`

const applyExample = `  tablewright apply -f tables/ --dsn postgres://admin@127.0.0.1:7432/tablewright
  tablewright apply -f tables/ --set shop --prune --dry-run
  tablewright apply -f tables/ --save-plan plan.json        in review
  tablewright apply -f tables/ --plan plan.json             on merge`

func applyCommand() *cobra.Command {
	var o apply.Options
	output := ""
	cmd := &cobra.Command{
		Use:     "apply -f folder|file|- [--dsn …]",
		Short:   "Lead a gateway's objects to what SQL files declare",
		Long:    applyLong,
		Example: applyExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch output {
			case "text":
			case "json":
				o.JSON = true
			default:
				return fmt.Errorf("--output is text or json, not %q", output)
			}
			if o.DSN == "" {
				o.DSN = os.Getenv("TABLEWRIGHT_DSN")
			}
			o.Stdin, o.Stdout = cmd.InOrStdin(), cmd.OutOrStdout()
			code, err := apply.Run(cmd.Context(), o)
			if err == nil && code != 0 {
				err = exitCode(code)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.Files, "file", "f", nil, "folder, file, or - for standard input; may be repeated")
	flags.StringVar(&o.DSN, "dsn", "", "the gateway, as a URL or key=value (also TABLEWRIGHT_DSN); what it leaves out is taken from PGHOST, PGUSER, PGPASSWORD, …")
	flags.StringArrayVar(&o.Variables, "var", nil, "name=value of ${name} in the files; may be repeated")
	flags.BoolVar(&o.DryRun, "dry-run", false, "show what would be done, and change nothing")
	flags.StringVarP(&output, "output", "o", "text", "text, or json: one JSON object a line")
	flags.BoolVar(&o.KeepGoing, "keep-going", false, "go on after a failure")
	flags.StringVar(&o.Set, "set", "", "name of the set that what the files make belongs to")
	flags.BoolVar(&o.Prune, "prune", false, "remove what the set has made and the files no longer declare, except for data")
	flags.BoolVar(&o.PruneData, "prune-data", false, "with --prune: also what holds data, and the data")
	flags.StringVar(&o.SavePlan, "save-plan", "", "write what would be done to a file; implies --dry-run")
	flags.StringVar(&o.Plan, "plan", "", "carry out exactly a saved plan: 55000 when something has changed since")
	return cmd
}
