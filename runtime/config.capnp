# Toolgate on plain workerd. `scripts/serve` copies this file into the state folder with one binding for each --var in
# the place marked below, and opens the wall at the bottom where `--internet` or TOOLGATE_DEV_DESTINATIONS say so. It
# holds no value: those come from the environment. Modules are found with `--import-path build`, the state folder and
# the pages with `--directory-path state=DIR` and `assets=console/dist`, the port with `--socket-addr`. wrangler.toml says the same for Cloudflare; tests/tidy
# compares the two.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "toolgate", worker = .gateway),
    (name = "internet", network = .publicOnly),
    (name = "state", disk = (writable = true)),
    (name = "assets", disk = (writable = false)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "toolgate")],
);

const gateway :Workerd.Worker = (
  modules = [
    (name = "index.js", esModule = embed "/index.js"),
    (name = "index_bg.wasm", wasm = embed "/index_bg.wasm"),
  ],
  compatibilityDate = "2026-11-17",
  compatibilityFlags = ["global_fetch_strictly_public"],
  durableObjectNamespaces = [
    # A unique key names the data on disk: it never changes, whatever the class is called.
    (className = "OrgRegistry", uniqueKey = "toolgate-org-registry", enableSql = true),
    (className = "PoolQueue", uniqueKey = "toolgate-pool-queue", enableSql = true),
    (className = "Thread", uniqueKey = "toolgate-thread", enableSql = true),
    (className = "Dataset", uniqueKey = "toolgate-dataset", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "state"),
  globalOutbound = "internet",
  bindings = [
    (name = "ORG_REGISTRY", durableObjectNamespace = "OrgRegistry"),
    (name = "POOL_QUEUE", durableObjectNamespace = "PoolQueue"),
    (name = "THREAD", durableObjectNamespace = "Thread"),
    (name = "DATASET", durableObjectNamespace = "Dataset"),
    # The gateway's own front, for signed requests from its objects.
    (name = "SELF", service = "toolgate"),
    # The built pages.
    (name = "ASSETS", service = "assets"),
    (name = "TOOLGATE_ROOT_TOKEN", fromEnvironment = "TOOLGATE_ROOT_TOKEN"),
    (name = "TOOLGATE_MASTER_KEY", fromEnvironment = "TOOLGATE_MASTER_KEY"),
    # @VARIABLES@
  ],
);

# The last wall of egress: judged after the look-up, on the address that is connected to. workerd's "public" leaves
# gaps, so each block that is no customer's webhook is named here (SECURITY.md gives the table).
const publicOnly :Workerd.Network = (
  allow = ["public"],
  deny = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "168.63.129.16/32", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
    "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
    "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    # Everything outside 2000::/3, then what is special inside it.
    "::/3", "4000::/2", "8000::/1",
    "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
  ],
  tlsOptions = (trustBrowserCas = true),
);
