"""OpenTelemetry spans of a book: a flow, its activities, their steps, the calls of models. Off unless asked for."""
