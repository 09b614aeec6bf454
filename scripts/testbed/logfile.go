package main

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

const emptyNamespace = "seed-empty"

// bigNamespaces are the namespaces whose pods have logs of 1 MiB.
func bigNamespaces() []string {
	names := []string{"seed-big"}
	for i := range 16 {
		names = append(names, fmt.Sprintf("seed-big-%d", i))
	}
	return names
}

// logAge is how long before the testbed's start its logs begin: earlier than
// any seeded container, so that none looks rotated.
const logAge = 30 * 24 * time.Hour

// writeLogFiles writes what KWOK serves as every container's log. The files
// are the same as long as the testbed lives.
func (t *testbed) writeLogFiles() error {
	if err := os.MkdirAll(t.path("data", "logs"), 0o700); err != nil {
		return err
	}
	begin := t.Created.Add(-logAge)
	for name, size := range map[string]int{"ordinary": 13 << 10, "previous": 2 << 10, "big": 1 << 20, "empty": 0} {
		if err := os.WriteFile(t.path("data", "logs", name+".log"), criLog(begin, size), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// logLines is what a batch job says: some dozen different lines, most of
// them with a number that grows.
var logLines = []string{
	`level=info msg="loading configuration" file=/etc/job/config.yaml revision=%d`,
	`level=info msg="connected" peer=10.0.3.17:5432 attempt=%d`,
	`level=debug msg="cache miss" key=customer/%d`,
	`level=info msg="batch read" rows=500 offset=%d`,
	`level=info msg="batch written" rows=500 sequence=%d`,
	`level=warn msg="slow query" table=orders duration_ms=%d`,
	`level=info msg="progress" step=transform done=%d`,
	`level=debug msg="garbage collected" heap_kib=%d`,
	`level=error msg="write refused, trying again" status=503 attempt=%d`,
	`{"severity":"INFO","event":"checkpoint","id":%d,"path":"/data/checkpoints"}`,
	`{"severity":"WARN","event":"retry","id":%d,"cause":"i/o timeout"}`,
	`epoch %d: loss=0.1934 accuracy=0.9412 lr=0.0003`,
	`    at com.example.orders.Importer.run(Importer.java:%d)`,
	`Exception in thread "worker-%d" java.net.SocketTimeoutException: Read timed out`,
	`GET /v1/orders?page=%d 200 14ms`,
	`POST /v1/orders/%d/confirm 201 32ms`,
	`naïve café — zażółć gęślą jaźń ✓ %d`,
	`	retry scheduled in %d ms`,
	`-- %d rows affected`,
	`I1130 09:14:16.000001       1 controller.go:%d] Synced`,
	`W1130 09:14:17.000001       1 reflector.go:%d] watch ended`,
	``,
	`done with shard %d`,
	`downloading weights part %d of 64`,
}

// criLog makes a log of at least size bytes of content in the format of the
// container runtime interface: time, stream, tag (F is a full line), text.
func criLog(begin time.Time, size int) []byte {
	var log bytes.Buffer
	content := 0
	for i := 0; content < size; i++ {
		text := logLines[i%len(logLines)]
		if bytes.Contains([]byte(text), []byte("%d")) {
			text = fmt.Sprintf(text, i)
		}
		stream := "stdout"
		if i%7 == 6 {
			stream = "stderr"
		}
		at := begin.Add(time.Duration(i) * 137 * time.Millisecond).UTC()
		fmt.Fprintf(&log, "%s %s F %s\n", at.Format("2006-01-02T15:04:05.000000000Z07:00"), stream, text)
		content += len(text) + 1
	}
	return log.Bytes()
}
