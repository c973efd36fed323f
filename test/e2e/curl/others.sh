# Other accounts than the one of KEY: those of accounts.json. An account's key is the-key-of-HANDLE.

as() { # HANDLE METHOD PATH [BODY] [IDEMPOTENCY-KEY]: asks as this account
  local handle=$1
  shift
  KEY="the-key-of-$handle" ask "$@"
}

free() { # HANDLE CURRENCY: what it can spend
  as "$1" GET /v1/balances
  node -e 'console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).find(({ currency }) => currency === process.argv[1]).available)' "$2" <<<"$BODY"
}

plus() { # TWO AMOUNTS with two digits after the point
  node -p 'const cents = process.argv.slice(1).map((amount) => BigInt(amount.replace(".", ""))); String(cents[0] + cents[1]).replace(/(..)$/, ".$1")' "$1" "$2"
}
