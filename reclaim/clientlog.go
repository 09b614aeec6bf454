package reclaim

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zapio"
	"k8s.io/klog/v2"
)

// LogClient lets client-go log to log at the debug level, for the whole process,
// instead of on stderr in a form of its own. What it says is returned as an error
// too.
func LogClient(log *zap.Logger) {
	klog.LogToStderr(false)
	klog.SetOutput(&zapio.Writer{Log: log.Named("client-go"), Level: zapcore.DebugLevel})
}
