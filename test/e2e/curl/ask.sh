# What every story uses: bash, curl, and Node to look into JSON. Nothing of this project.
# BASE is the address of a sandbox, KEY one of its keys.
set -euo pipefail
: "${BASE:?the address of a sandbox}" "${KEY:?a key of it}"
CHECKS=0 STATUS='' BODY=''

send() { # METHOD PATH [BODY] [more of curl's options …]: sets STATUS and BODY
  local method=$1 path=$2 body=${3-} answer
  shift $(($# < 3 ? $# : 3))
  answer=$(curl -sS --max-time 20 -X "$method" ${body:+-H 'content-type: application/json' --data-binary "$body"} -w '\n%{http_code}' "$@" "$BASE$path")
  STATUS=${answer##*$'\n'} BODY=${answer%$'\n'*}
}

ask() { # METHOD PATH [BODY] [IDEMPOTENCY-KEY]
  send "$1" "$2" "${3-}" -H "authorization: Bearer $KEY" ${4:+-H "idempotency-key: $4"}
}

control() { # COMMAND [BODY]: what the world outside does
  send POST "/_sandbox/$1" "${2:-}" -H 'x-paystate-control: 1'
  is 200
}

is() { # STATUS [MEMBER VALUE] …: a value between slashes is a pattern, "-" says that the member is absent
  [ "$STATUS" = "$1" ] || { echo "expected status $1, got $STATUS: $BODY" >&2; exit 1; }
  shift
  CHECKS=$((CHECKS + 1 + $# / 2))
  [ $# = 0 ] || node -e '
    const json = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (let at = 1; at < process.argv.length; at += 2) {
      const [path, wanted] = process.argv.slice(at, at + 2);
      const value = path.split(".").reduce((inside, name) => inside?.[name], json);
      const text = value === undefined ? "-" : typeof value === "object" ? JSON.stringify(value) : String(value);
      const fits = /^\/.*\/$/.test(wanted) ? new RegExp(wanted.slice(1, -1)).test(text) : text === wanted;
      if (!fits) { console.error(`${path}: expected ${wanted}, got ${text}`); process.exit(1); }
    }' "$@" <<<"$BODY"
}

get() { # MEMBER: its value, of the last answer
  node -e 'console.log(process.argv[1].split(".").reduce((inside, name) => inside?.[name], JSON.parse(require("fs").readFileSync(0, "utf8"))))' "$1" <<<"$BODY"
}

uuid() { node -p 'crypto.randomUUID()'; }

same() { # WHAT EXPECTED ACTUAL
  CHECKS=$((CHECKS + 1))
  [ "$2" = "$3" ] || { echo "$1: expected $2, got $3" >&2; exit 1; }
}

passed() { echo "ok, $CHECKS checks"; }
ID='/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/'
TIME='/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?\+00:00$/'
