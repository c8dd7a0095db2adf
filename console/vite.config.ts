import { defineConfig, type Plugin } from "vite";

/** The gateway that `npm run dev` talks to; scripts/dev starts one there. */
const gateway = process.env["TOOLGATE_URL"] ?? "http://127.0.0.1:8787";

/** In development, as the gateway does it: every path of the console has the console's page. */
function pages(): Plugin {
  return {
    name: "toolgate-pages",
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        const path = (request.url ?? "/").split("?")[0] ?? "/";
        if (path === "/console" || path.startsWith("/console/")) request.url = "/console.html";
        else if (path === "/chat" || path.startsWith("/chat/")) request.url = "/index.html";
        next();
      });
    },
  };
}

export default defineConfig({
  appType: "mpa",
  plugins: [pages()],
  server: { host: "127.0.0.1", proxy: { "/v1": gateway, "/healthz": gateway } },
  build: {
    target: "es2023",
    // Nothing may be inlined: the pages' policy allows no inline script or style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssMinify: true,
    reportCompressedSize: false,
    // ECharts, which is loaded with the first chart.
    chunkSizeWarningLimit: 700,
    rollupOptions: { input: ["index.html", "console.html"] },
  },
});
