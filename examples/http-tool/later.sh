#!/bin/sh
# Finishes a call that was answered with 202, from a shell:  SECRET=… sh later.sh CALLBACK_URL '{"result": "done"}'
# (openssl is given the key as an argument: other users of this machine could see it.)
set -eu
url=$1
body=$2
id=${url%/result}
id=${id##*/}
time=$(date +%s)
case $SECRET in
whsec_*) key=$(printf %s "${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n') ;;
*) key=$(printf %s "$SECRET" | od -An -v -tx1 | tr -d ' \n') ;;
esac
signature=$(printf %s "$id.$time.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
curl -sS -w '%{http_code}\n' "$url" -H 'content-type: application/json' --data-binary "$body" \
  -H "webhook-id: $id" -H "webhook-timestamp: $time" -H "webhook-signature: v1,$signature"
