// The tools of this browser. A new one is an object and a line here.
import { getCurrentLocation } from "./getCurrentLocation";
import { requestUserApproval } from "./requestUserApproval";
import type { ClientTool } from "./types";

export const CLIENT_TOOLS: readonly ClientTool[] = [getCurrentLocation, requestUserApproval];
