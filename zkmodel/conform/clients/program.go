package clients

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed programs
var sources embed.FS

// Program is a client library with its recipes.
type Program struct {
	Name string
	// Missing says what is not installed, "" if nothing.
	Missing func() string
	// Run runs the recipes against a server and returns what they print, a line
	// each. dir is a folder for its files.
	Run func(ctx context.Context, dir, address string) ([]string, error)

	_ struct{}
}

// Programs are the clients, each with two sessions or more.
func Programs() []Program {
	return []Program{
		{Name: "gozk", Missing: func() string { return "" }, Run: runGozk},
		{Name: "kazoo", Missing: missingKazoo, Run: runKazoo},
		{Name: "curator", Missing: missingCurator, Run: runCurator},
	}
}

// python is the system's: Debian puts python3-kazoo there.
const python = "/usr/bin/python3"

func missingKazoo() string {
	if exec.Command(python, "-c", "import kazoo").Run() != nil {
		return "Kazoo (Debian package python3-kazoo) with " + python
	}
	return ""
}

func runKazoo(ctx context.Context, dir, address string) ([]string, error) {
	file, err := unpack(dir, "kazoo_clients.py")
	if err != nil {
		return nil, err
	}
	return lines(exec.CommandContext(ctx, python, file, address))
}

// jars are what Curator needs of Debian's folder of jars.
var jars = [...]string{
	"curator-recipes", "curator-framework", "curator-client",
	"zookeeper", "zookeeper-jute", "guava", "slf4j-api", "slf4j-nop",
}

func classPath(dir string) string {
	all := []string{dir}
	for _, j := range jars {
		all = append(all, "/usr/share/java/"+j+".jar")
	}
	return strings.Join(all, ":")
}

func missingCurator() string {
	for _, tool := range []string{"java", "javac"} {
		if _, err := exec.LookPath(tool); err != nil {
			return tool + " (Debian package default-jdk-headless)"
		}
	}
	for _, jar := range strings.Split(classPath("/"), ":")[1:] {
		if _, err := os.Stat(jar); err != nil {
			return jar + " (Debian package libcurator-recipes-java)"
		}
	}
	return ""
}

func runCurator(ctx context.Context, dir, address string) ([]string, error) {
	file, err := unpack(dir, "CuratorClients.java")
	if err != nil {
		return nil, err
	}
	if _, err := lines(exec.CommandContext(ctx, "javac", "-cp", classPath(dir), "-d", dir, file)); err != nil {
		return nil, err
	}
	return lines(exec.CommandContext(ctx, "java", "-cp", classPath(dir), "CuratorClients", address))
}

// unpack writes a program to a folder.
func unpack(dir, name string) (file string, err error) {
	b, err := sources.ReadFile("programs/" + name)
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, name)
	return file, os.WriteFile(file, b, 0o600)
}

// lines runs a command and returns the lines of its standard output.
func lines(cmd *exec.Cmd) ([]string, error) {
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", filepath.Base(cmd.Path), err, out.String(), diagnostics.String())
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), nil
}
