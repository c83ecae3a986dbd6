{{- define "configuration" -}}
{{- $c := deepCopy .Values.configuration -}}
{{- $gcloud := default dict $c.gcloud -}}
{{- if not (hasKey $gcloud "runnerImage") -}}
{{- $_ := set $gcloud "runnerImage" .Values.image -}}
{{- end -}}
{{- $_ := set $c "gcloud" $gcloud -}}
{{- $_ := set $c "apiVersion" "config.gcloud-operator.dev/v1alpha1" -}}
{{- $_ := set $c "kind" "OperatorConfiguration" -}}
{{- toYaml $c -}}
{{- end -}}

{{- /* The name changes with the contents, so that the operator is rolled out. */ -}}
{{- define "configurationName" -}}
gcloud-operator-configuration-{{ include "configuration" . | sha256sum | trunc 10 }}
{{- end -}}
