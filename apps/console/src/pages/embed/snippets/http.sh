url=http://127.0.0.1:8020
auth="Authorization: Bearer $PARLEY_KEY"
session=$(curl -s -X POST $url/api/sessions -H "$auth" | sed 's/.*"session_id":"\([^"]*\)".*/\1/')
curl -s $url/api/sessions/$session/chat -H "$auth" -H 'content-type: application/json' -d '{"message":"Hello"}'
