// Renders a Helm chart where Helm itself is not at hand: Go's text/template with Sprig's functions is what Helm's engine
// is made of. `render-chart <chart> [--values <file>]` prints the manifests of
// a release with the chart's name. Knows what this chart uses, and no more:
// no subcharts, hooks, look-ups in a cluster, and no check of values by the schema.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

func main() {
	override := map[string]interface{}{}
	if len(os.Args) == 4 && os.Args[2] == "--values" {
		override = readMap(os.Args[3])
	} else if len(os.Args) != 2 {
		exit(errors.New("usage: render-chart <chart> [--values <file>]"))
	}
	render(os.Args[1], override)
}

func render(folder string, override map[string]interface{}) {
	chart := readMap(filepath.Join(folder, "Chart.yaml"))
	release := chart["name"]
	values := merge(readMap(filepath.Join(folder, "values.yaml")), override)
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functionsOf(all))
	base := fmt.Sprintf("%s/templates", chart["name"])
	names := parseAll(all, filepath.Join(folder, "templates"), base)
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), "_") || strings.HasSuffix(name, ".txt") {
			continue
		}
		data := map[string]interface{}{
			"Values":   values,
			"Chart":    capitalized(chart),
			"Release":  map[string]interface{}{"Name": release, "Namespace": release, "Service": "Helm"},
			"Template": map[string]interface{}{"Name": name, "BasePath": base},
		}
		var out bytes.Buffer
		if err := all.ExecuteTemplate(&out, name, data); err != nil {
			exit(err)
		}
		if strings.TrimSpace(out.String()) != "" {
			fmt.Printf("---\n# %s\n%s\n", name, out.String())
		}
	}
}

// Also the notes, so that a fault in them shows.
func parseAll(all *template.Template, folder, base string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		exit(err)
	}
	var names []string
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			exit(err)
		}
		name := base + "/" + entry.Name()
		if _, err := all.New(name).Parse(string(text)); err != nil {
			exit(err)
		}
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// What Helm adds to Sprig, as far as this chart uses it.
func functionsOf(all *template.Template) template.FuncMap {
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	return functions
}

// Values of the second win; maps are merged, lists are replaced.
func merge(under, over map[string]interface{}) map[string]interface{} {
	for key, value := range over {
		inner, isMap := value.(map[string]interface{})
		below, hasMap := under[key].(map[string]interface{})
		if isMap && hasMap {
			under[key] = merge(below, inner)
		} else {
			under[key] = value
		}
	}
	return under
}

func capitalized(chart map[string]interface{}) map[string]interface{} {
	out := map[string]interface{}{}
	for key, value := range chart {
		out[strings.ToUpper(key[:1])+key[1:]] = value
	}
	return out
}

func readMap(path string) map[string]interface{} {
	text, err := os.ReadFile(path)
	if err != nil {
		exit(err)
	}
	out := map[string]interface{}{}
	if err := yaml.Unmarshal(text, &out); err != nil {
		exit(err)
	}
	return out
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
