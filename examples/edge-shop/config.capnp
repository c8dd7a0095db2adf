# The example on plain workerd, for tests and for a look: HTTP on a free port of this machine (`--socket-addr` sets
# another). The gateway calls HTTPS only, so something that has a certificate stands before it.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "edge-shop", worker = .shop),
    # It calls nobody.
    (name = "internet", network = (allow = [])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "edge-shop")],
);

const shop :Workerd.Worker = (
  modules = [
    (name = "index.js", esModule = embed "build/index.js"),
    (name = "index_bg.wasm", wasm = embed "build/index_bg.wasm"),
  ],
  compatibilityDate = "2026-11-17",
  bindings = [
    (name = "TOOLGATE_WEBHOOK_SECRET", fromEnvironment = "TOOLGATE_WEBHOOK_SECRET"),
    (name = "EDGE_SHOP_SHOW_RUNS", text = "1"),
    (name = "EDGE_SHOP_PAYMENT_MS", fromEnvironment = "EDGE_SHOP_PAYMENT_MS"),
  ],
);
