{{- define "bucketry.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "bucketry.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "bucketry.labels" -}}
{{ include "bucketry.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "bucketry.secret" -}}
{{ .Values.existingSecret | default (include "bucketry.name" .) }}
{{- end }}

{{/* Not empty if the drive is an S3 store. */}}
{{- define "bucketry.isStore" -}}
{{- if hasPrefix "s3+" .Values.drive.url }}yes{{ end }}
{{- end }}

{{/* Not empty if a pod keeps nothing: its drive and its database are elsewhere. */}}
{{- define "bucketry.isStateless" -}}
{{- if and (include "bucketry.isStore" .) .Values.database.enabled }}yes{{ end }}
{{- end }}

{{/* Mistakes that the schema cannot see. */}}
{{- define "bucketry.check" -}}
{{- $values := .Values -}}
{{- if gt (int $values.replicas) 1 -}}
  {{- if not (include "bucketry.isStore" .) }}{{ fail "replicas is above 1: set drive.url to an S3 store (s3+https://…). Several gateways over one volume are not supported by this chart (docs/fleet.md)." }}{{ end -}}
  {{- if not $values.database.enabled }}{{ fail "replicas is above 1: set database.enabled and a PostgreSQL database, which the gateways share (docs/fleet.md)." }}{{ end -}}
{{- end -}}
{{- if not $values.existingSecret -}}
  {{- if and $values.database.enabled (not $values.database.url) }}{{ fail "database.enabled is set: set database.url, or database-url in existingSecret." }}{{ end -}}
  {{- if and $values.sessions.enabled (not $values.sessions.url) }}{{ fail "sessions.enabled is set: set sessions.url, or sessions-url in existingSecret." }}{{ end -}}
  {{- if and $values.drive.hasKeys (not (and $values.drive.accessKey $values.drive.secretKey)) }}{{ fail "drive.hasKeys is set: set drive.accessKey and drive.secretKey, or both in existingSecret." }}{{ end -}}
{{- end -}}
{{- if and $values.drive.hasKeys (not (include "bucketry.isStore" .)) }}{{ fail "drive.hasKeys is set: set drive.url to an S3 store (s3+https://…)." }}{{ end -}}
{{- $names := list -}}
{{- range $values.buckets }}{{ $names = append $names (regexReplaceAll "@.*" . "") }}{{ end -}}
{{- range $name := $values.publicBuckets -}}
  {{- if not (has $name $names) }}{{ fail (printf "publicBuckets has %s: add it to buckets." $name) }}{{ end -}}
{{- end -}}
{{- range $name, $ingress := $values.ingress -}}
  {{- if and $ingress.enabled (not $ingress.host) }}{{ fail (printf "ingress.%s.enabled is set: set ingress.%s.host." $name $name) }}{{ end -}}
{{- end -}}
{{- if and $values.ingress.dashboard.enabled (not $values.dashboard.enabled) }}{{ fail "ingress.dashboard.enabled is set: set dashboard.enabled." }}{{ end -}}
{{- if and $values.metrics.serviceMonitor.enabled (not $values.metrics.enabled) }}{{ fail "metrics.serviceMonitor.enabled is set: set metrics.enabled." }}{{ end -}}
{{- if and $values.metrics.enabled (eq (int $values.metrics.port) 9000) }}{{ fail "metrics.port is 9000, the port of S3: set another." }}{{ end -}}
{{- end }}
