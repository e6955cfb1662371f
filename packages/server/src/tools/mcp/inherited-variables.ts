/** What every program needs. */
const USUAL = ['PATH', 'HOME', 'LANG']

/** How to get out of this network; the password of a proxy, if it has one, is in its address. In either case. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY']

/** Whom to trust: Node, OpenSSL, Python and curl each have their own name for it. */
const AUTHORITIES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE']

/** Where npx finds packages; npm reads these in either case. Its tokens stay here: they have names of their own. */
const NPM = [
  'registry',
  'cache',
  'proxy',
  'https_proxy',
  'noproxy',
  'cafile',
  'strict_ssl',
  'prefer_offline',
  'offline',
]

const NAMES = [
  ...USUAL,
  ...PROXIES,
  ...PROXIES.map((name) => name.toLowerCase()),
  ...AUTHORITIES,
  ...NPM.map((name) => `npm_config_${name}`),
  ...NPM.map((name) => `NPM_CONFIG_${name.toUpperCase()}`),
]

/** What a program of an MCP server gets of the server's environment, by name; no key or token is among it. */
export function inheritedVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = environment[name]
      return value ? [[name, value]] : []
    }),
  )
}
