package anthropic

import (
	"strconv"
	"strings"
)

// version reads the number in a model's id (claude-opus-4-6-20260101 is 406, claude-sonnet-5 is 500), because what a model
// takes changed with it. A name that tells none counts as new.
func version(id string) int {
	var nums []int
	for part := range strings.SplitSeq(id, "-") {
		n, err := strconv.Atoi(part)
		if err == nil && n < 100 {
			nums = append(nums, n)
		}
	}
	switch len(nums) {
	case 0:
		return 9900
	case 1:
		return nums[0] * 100
	}
	return nums[0]*100 + nums[1]
}

// adaptive reports models that decide themselves how long to think; the older ones want a budget.
func adaptive(id string) bool { return version(id) >= 406 }

// sampled reports models that take a temperature.
func sampled(id string) bool { return version(id) < 407 }

// structured reports models that hold themselves to a schema.
func structured(id string) bool { return version(id) >= 405 || strings.Contains(id, "opus-4-1") }
