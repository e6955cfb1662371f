url=${PARLEY_URL:-http://127.0.0.1:8020}
auth="Authorization: Bearer ${PARLEY_KEY:-$(cat .parley/owner.key)}"

curl -sf "$url/api/usage?by=model&bucket=day&timezone=Asia/Shanghai" -H "$auth"
curl -sf "$url/api/audit?action=api_key.&limit=20" -H "$auth"
