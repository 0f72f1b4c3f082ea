package main

import (
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tablewright/tablewright/home"
)

// homeCommand is about an external home database.
func homeCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "home", Short: "Look at an external home database"}
	cmd.AddCommand(homeCheckCommand(), homeSetupCommand())
	return cmd
}

func homeCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check --home-dsn …",
		Short: "List the rights that the gateway needs at its home database, has and lacks",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dsn, err := cmd.Flags().GetString("home-dsn")
			if err != nil {
				return err
			}
			if dsn == "" {
				dsn = os.Getenv("TABLEWRIGHT_HOME_DSN")
			}
			if dsn == "" {
				return errors.New("home check needs --home-dsn or TABLEWRIGHT_HOME_DSN")
			}
			return homeCheck(cmd, dsn)
		},
	}
	cmd.Flags().String("home-dsn", "", "the external home database (also TABLEWRIGHT_HOME_DSN)")
	return cmd
}

// homeCheck prints a line a right. It fails when one is missing that the gateway does not start without.
func homeCheck(cmd *cobra.Command, dsn string) error {
	rights, err := home.Check(cmd.Context(), dsn)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	missing := 0
	_, _ = fmt.Fprintln(w, "RIGHT\tHAS\tNEEDED\tFOR") // a table of its own; Flush tells of errors
	for _, r := range rights {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, yesNo(r.Has), yesNo(r.Needed), r.Feature)
		if r.Needed && !r.Has {
			missing++
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if missing > 0 {
		return fmt.Errorf("%d needed rights are missing; a superuser grants them with: tablewright home setup | psql …", missing)
	}
	return nil
}

func homeSetupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "setup",
		Short: "Print the script by which a superuser prepares an external home database (configs/home-setup.sql)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), home.SetupScript())
			return err
		},
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
