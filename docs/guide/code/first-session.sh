url=${PARLEY_URL:-http://127.0.0.1:8020}
auth="Authorization: Bearer ${PARLEY_KEY:-$(cat .parley/owner.key)}"
json='Content-Type: application/json'

# A session, and one message that waits for its answer.
session=$(curl -sf -X POST "$url/api/sessions" -H "$auth" |
  sed 's/.*"session_id":"\([^"]*\)".*/\1/')
curl -sf "$url/api/sessions/$session/chat" -H "$auth" -H "$json" -d '{"message":"Hello"}'

# The same as a stream of events, and what was said so far.
curl -sfN "$url/api/sessions/$session/chat" -H "$auth" -H "$json" \
  -H 'Accept: text/event-stream' -d '{"message":"Hello again"}'
curl -sf "$url/api/sessions/$session/messages" -H "$auth"
