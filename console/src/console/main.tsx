import "../shared/theme";
import "./console.css";
import { render } from "preact";
import { startRouter } from "../shared/router";
import { Console } from "./Console";

startRouter("/console");
const root = document.getElementById("app");
if (root !== null) render(<Console />, root);
