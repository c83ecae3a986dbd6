// SPDX-License-Identifier: Apache-2.0

// Package command reads a gcloud command line the way gcloud itself would, and checks it against rules.
//
// [Parse] splits a line into words, without a shell, and parses the words against the command tree of the pinned
// Google Cloud SDK. [Policy.Check] parses too, and applies the rules of docs/rules.md. What both return in
// [Command.Argv] is exactly what is to be executed.
//
// The package is pure: no clock, no file, no environment, the standard library only. All of it is safe for concurrent
// use.
package command
