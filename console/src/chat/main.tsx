import "../shared/theme";
import { render } from "preact";
import { startRouter } from "../shared/router";
import { Chat } from "./Chat";

startRouter("/chat");
const root = document.getElementById("app");
if (root !== null) render(<Chat />, root);
