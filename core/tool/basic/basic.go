// Package basic holds the tools that need nothing but their arguments and the caller's clock: time and calculate. They
// have no effects, so they may not read or write anything.
package basic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/core/tool"
	"jarvis/core/tool/basic/calc"
	"jarvis/core/tool/basic/zone"
)

const (
	timeSchema = `{"type":"object","properties":{"zone":{"type":"string","maxLength":60,` +
		`"description":"IANA name, city, country or UTC offset; without it the user's own zone"}},"additionalProperties":false}`
	calculateSchema = `{"type":"object","properties":{"expression":{"type":"string","minLength":1,"maxLength":1000}},` +
		`"required":["expression"],"additionalProperties":false}`
)

// Tools are time and calculate.
func Tools() []tool.Tool {
	return []tool.Tool{
		tool.Func{
			S: tool.Spec{
				Name:        "time",
				Description: "Tells the current date, weekday, time, zone and ISO week, here or in another zone, city or country.",
				Schema:      json.RawMessage(timeSchema),
				ReadOnly:    true,
			},
			P: planTime,
			R: runTime,
		},
		tool.Func{
			S: tool.Spec{
				Name: "calculate",
				Description: "Calculates exactly: + - * / ^ % mod ! parentheses, percent (\"17% of 2400\", \"20% off 80\", \"80 + 5%\"), sqrt, round(x; places), " +
					"units and conversions (\"5 km in miles\", \"2 h 30 min in minutes\"). Write numbers without thousands separators.",
				Schema:   json.RawMessage(calculateSchema),
				ReadOnly: true,
			},
			P: planCalculate,
			R: runCalculate,
		},
	}
}

type timeArgs struct {
	Zone string `json:"zone"`
}

func planTime(_ context.Context, c tool.Call) (tool.Plan, error) {
	_, err := clock(c)
	return tool.Plan{}, err
}

// clock gives the caller's time in the zone that the call asks for.
func clock(c tool.Call) (time.Time, error) {
	var a timeArgs
	if err := tool.Decode(c, &a); err != nil {
		return time.Time{}, err
	}
	name, now := a.Zone, c.Env.Now
	if name == "" {
		name = c.Env.TZ
	}
	if name == "" || strings.EqualFold(name, "local") {
		return now, nil
	}
	l, err := zone.Find(name)
	if err != nil {
		return time.Time{}, core.E(core.BadRequest,
			fmt.Sprintf("no time zone is known as %.60q; use an IANA name such as Europe/Berlin, a large city or an offset such as UTC+2", name), "", err)
	}
	return now.In(l), nil
}

// runTime answers in lines of "name: value", in English, for models to word.
func runTime(_ context.Context, c tool.Call, _ tool.Plan) (tool.Result, error) {
	t, err := clock(c)
	if err != nil {
		return tool.Result{}, err
	}
	_, week := t.ISOWeek()
	return tool.Result{Text: fmt.Sprintf("date: %s\nweekday: %s\ntime: %s\nzone: %s (UTC%s)\nweek: %d",
		t.Format(time.DateOnly), t.Weekday(), t.Format("15:04"), t.Location(), t.Format("-07:00"), week)}, nil
}

type calculateArgs struct {
	Expression string `json:"expression"`
}

func planCalculate(_ context.Context, c tool.Call) (tool.Plan, error) {
	var a calculateArgs
	if err := tool.Decode(c, &a); err != nil {
		return tool.Plan{}, err
	}
	_, err := calc.Parse(a.Expression, c.Env.Lang)
	return tool.Plan{}, sentence(err)
}

func runCalculate(_ context.Context, c tool.Call, _ tool.Plan) (tool.Result, error) {
	var a calculateArgs
	if err := tool.Decode(c, &a); err != nil {
		return tool.Result{}, err
	}
	s, err := calc.Calculate(a.Expression, c.Env.Lang)
	if err != nil {
		return tool.Result{}, sentence(err)
	}
	return tool.Result{Text: s}, nil
}

func sentence(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, calc.ErrLarge):
		return core.E(core.TooLarge, err.Error(), "", err)
	}
	return core.E(core.BadRequest, err.Error(), "", err)
}
