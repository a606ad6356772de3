// Checks histories with Porcupine and a separate model: a JSON document per line on stdin, a verdict per line on stdout.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// Removal of getPet: milliseconds since 1970.
var removedAt = time.Date(2030, 12, 5, 0, 0, 0, 0, time.UTC).UnixMilli()

type operation struct {
	Kind, Name, Status, Mark, Operation, Snapshot string
	ID, Limit, Skip, Times                        int
	Now, Ms                                       int64
}

type event struct {
	Op     operation
	Call   float64
	Return *float64
	Result *string
}

type history struct {
	Start  []json.RawMessage
	Events []event
}

type pet struct{ text, status string }

type rule struct {
	id, skip, times, fitting, used int
	mark, operation                string
}

type state struct {
	pets      []pet
	rules     []rule
	rulesEver int
	stopped   bool
	now       int64
	snapshots map[string][]pet
	isGone    bool
}

func main() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			judge(line)
		}
		if err != nil {
			return
		}
	}
}

func judge(line string) {
	var read history
	if err := json.Unmarshal([]byte(line), &read); err != nil {
		panic(err)
	}
	start := []pet{}
	for _, text := range read.Start {
		var shown struct{ Status string }
		if err := json.Unmarshal(text, &shown); err != nil {
			panic(err)
		}
		start = append(start, pet{string(text), shown.Status})
	}
	operations := []porcupine.Operation{}
	for index, one := range read.Events {
		end := int64(math.MaxInt64)
		if one.Return != nil {
			end = nanoseconds(*one.Return)
		}
		operations = append(operations, porcupine.Operation{
			ClientId: index, Input: one.Op, Call: nanoseconds(one.Call), Output: one.Result, Return: end,
		})
	}
	began := time.Now()
	verdict := porcupine.CheckOperationsTimeout(modelFrom(start), operations, 20*time.Second)
	words := map[porcupine.CheckResult]string{porcupine.Ok: "linearizable", porcupine.Illegal: "not linearizable", porcupine.Unknown: "not checked"}
	fmt.Printf("%s %d\n", words[verdict], time.Since(began).Milliseconds())
}

func nanoseconds(ms float64) int64 { return int64(math.Round(ms * 1e6)) }

func modelFrom(start []pet) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return state{pets: start} },
		Step: func(before, input, output any) (bool, any) {
			after, result := step(before.(state), input.(operation), start)
			shown := output.(*string)
			return shown == nil || *shown == result, after
		},
		Equal: func(a, b any) bool {
			one, other := a.(state), b.(state)
			return one.rulesEver == other.rulesEver && one.stopped == other.stopped && one.isGone == other.isGone && one.now == other.now &&
				slices.Equal(one.pets, other.pets) && slices.Equal(one.rules, other.rules) &&
				maps.EqualFunc(one.snapshots, other.snapshots, slices.Equal)
		},
	}
}

func step(s state, op operation, start []pet) (state, string) {
	isRequest := op.Kind == "create" || op.Kind == "get" || op.Kind == "list"
	if s.isGone && !isRequest {
		return s, "404"
	}
	s.isGone = false
	switch op.Kind {
	case "create":
		if mark := s.intervene("createPet"); mark != "" {
			return s, "418 " + mark
		}
		text := fmt.Sprintf(`{"id":%d,"name":"%s","categoryId":1,"status":"%s"}`, len(s.pets)+1, op.Name, op.Status)
		s.pets = append(slices.Clip(s.pets), pet{text, op.Status})
		return s, "201 " + text
	case "get":
		if mark := s.intervene("getPet"); mark != "" {
			return s, "418 " + mark
		}
		if s.stopped && s.now >= removedAt {
			return s, "410"
		}
		if op.ID > len(s.pets) {
			return s, "404"
		}
		return s, "200 " + s.pets[op.ID-1].text
	case "list":
		if mark := s.intervene("listPets"); mark != "" {
			return s, "418 " + mark
		}
		found := []string{}
		for index := len(s.pets) - 1; index >= 0 && len(found) < op.Limit; index-- {
			if op.Status == "" || op.Status == s.pets[index].status {
				found = append(found, s.pets[index].text)
			}
		}
		return s, "200 [" + strings.Join(found, ",") + "]"
	case "export":
		all := []string{}
		for _, one := range s.pets {
			all = append(all, one.text)
		}
		return s, "200 [" + strings.Join(all, ",") + "]"
	case "add-rule":
		s.rulesEver++
		added := rule{id: s.rulesEver, mark: op.Mark, operation: op.Operation, skip: op.Skip, times: op.Times}
		s.rules = append(slices.Clip(s.rules), added)
		return s, fmt.Sprintf("201 rule-%d", s.rulesEver)
	case "rules":
		all := []string{}
		for _, one := range s.rules {
			all = append(all, fmt.Sprintf("rule-%d:%s:%d", one.id, one.mark, one.used))
		}
		return s, "200 " + strings.Join(all, ",")
	case "clear-rules":
		s.rules = nil
		return s, "204"
	case "set-clock":
		s.stopped, s.now = true, op.Now
		return s, s.clock()
	case "advance":
		if s.stopped {
			s.now += op.Ms
		}
		return s, s.clock()
	case "clock":
		return s, s.clock()
	case "reset-clock":
		s.stopped, s.now = false, 0
		return s, s.clock()
	case "save":
		s.snapshots = maps.Clone(s.snapshots)
		if s.snapshots == nil {
			s.snapshots = map[string][]pet{}
		}
		s.snapshots[op.Snapshot] = s.pets
		return s, fmt.Sprintf("200 %d", len(s.pets))
	case "restore":
		pets, isThere := s.snapshots[op.Snapshot]
		if !isThere {
			return s, "404"
		}
		s.pets = pets
		return s, "204"
	case "snapshots":
		all := []string{}
		for name, pets := range s.snapshots {
			all = append(all, fmt.Sprintf("%s:%d", name, len(pets)))
		}
		slices.Sort(all)
		return s, "200 " + strings.Join(all, ",")
	case "look":
		return s, "200"
	case "end":
		return state{pets: start, isGone: true}, "204"
	case "reset":
		return state{pets: start, snapshots: s.snapshots}, "204"
	}
	panic(op.Kind)
}

func (s state) clock() string {
	if s.stopped {
		return fmt.Sprintf("200 %d", s.now)
	}
	return "200 runs"
}

// The newest due rule responds; older matching rules only count the request.
func (s *state) intervene(operation string) string {
	mark := ""
	s.rules = slices.Clone(s.rules)
	for index := len(s.rules) - 1; index >= 0; index-- {
		one := &s.rules[index]
		if one.operation != operation || one.used >= one.times {
			continue
		}
		one.fitting++
		if one.fitting > one.skip && mark == "" {
			one.used++
			mark = one.mark
		}
	}
	return mark
}
