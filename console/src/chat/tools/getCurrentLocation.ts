import type { ClientTool } from "./types";

/** How old a position may be, in ms. */
const AGE_MS = 60_000;
const WORDS = new Map([
  [1, "the user does not allow this page to know the location"],
  [2, "the location is not available"],
  [3, "the location was not found in time"],
]);

export const getCurrentLocation: ClientTool = {
  definition: {
    name: "get_current_location",
    description: "The user's current position, from the browser. The browser asks the user for permission. Gives latitude and longitude in degrees and the accuracy in metres, or an error.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
  },
  defaultEnabled: true,
  handler: async () => {
    if (navigator.geolocation === undefined) return { error: "this browser has no location" };
    return new Promise((resolve) => {
      navigator.geolocation.getCurrentPosition(
        ({ coords }) => resolve({ latitude: coords.latitude, longitude: coords.longitude, accuracy_m: coords.accuracy }),
        ({ code }) => resolve({ error: WORDS.get(code) ?? "the location is not available" }),
        { maximumAge: AGE_MS, timeout: 30_000 },
      );
    });
  },
};
