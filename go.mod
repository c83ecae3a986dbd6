module github.com/gcloud-operator/gcloud-operator

go 1.26.0
