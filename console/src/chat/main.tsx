import "../shared/theme";
import "./chat.css";
import { render } from "preact";
import { startRouter } from "../shared/router";
import { Chat } from "./Chat";

startRouter("/", "/chat");
const root = document.getElementById("app");
if (root !== null) render(<Chat />, root);
