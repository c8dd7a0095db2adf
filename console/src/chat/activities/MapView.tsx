import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { loadSite, site } from "../../shared/signin/access";
import { useStore } from "../../shared/store";
import { Button } from "../../shared/ui/Button";
import type { DrawnMap } from "./drawMap";
import { kindOf, middleOf, readMap, type ReadMap } from "./map";
import { allowConstants } from "./constants";
import { Failed } from "./parts";
import type { ActivityProps } from "./registry";

export function MapView({ content }: ActivityProps) {
  const read = useMemo(() => {
    try {
      return { map: readMap(content) };
    } catch (fault) {
      return { fault };
    }
  }, [content]);
  return "fault" in read ? <Failed what="map" fault={read.fault} content={content} /> : <Drawn read={read.map} content={content} />;
}

function Drawn({ read, content }: { readonly read: ReadMap; readonly content: unknown }) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnMap | undefined>(undefined);
  const [fault, setFault] = useState<unknown>();
  const settings = useStore(site);
  // Without an answer there are no tiles, which is the default anyway.
  useEffect(() => void loadSite().catch(() => undefined), []);
  const tiles = settings?.tiles ?? null;
  useEffect(() => {
    let gone = false;
    allowConstants();
    import("./drawMap").then(
      ({ drawMap }) => {
        if (gone || place.current === null) return;
        try {
          drawn.current = drawMap(place.current, read, tiles);
        } catch (thrown) {
          setFault(thrown);
        }
      },
      setFault,
    );
    return () => {
      gone = true;
      drawn.current?.remove();
      drawn.current = undefined;
    };
  }, [read, tiles?.url]);
  if (fault !== undefined) return <Failed what="map" fault={fault} content={content} />;
  return (
    <figure class="activity">
      <div class="mapbox">
        <div class="mapside">
          <div ref={place} class="map" role="application" aria-label="Map; its places are in the list beside it" />
          <div class="row">
            <Button small label="Zoom in" onClick={() => drawn.current?.zoom(1)}>
              +
            </Button>
            <Button small label="Zoom out" onClick={() => drawn.current?.zoom(-1)}>
              −
            </Button>
            <Button small onClick={() => drawn.current?.all()}>
              Show all
            </Button>
            <span class="quiet small">{tiles === null ? "Without tiles: degrees and outlines only." : tiles.attribution}</span>
          </div>
        </div>
        <ol class="places" aria-label="Places of the map">
          {read.places.map((one, at) => {
            const middle = middleOf(one);
            return (
              <li key={at}>
                <button type="button" class="place" onClick={() => drawn.current?.show(at)}>
                  <strong>{one.name}</strong>
                  {one.popup !== "" && <span class="breaks"> {one.popup}</span>}
                  <span class="quiet small">
                    {" "}
                    {kindOf(one)}
                    {middle !== undefined && `, ${middle[0].toFixed(4)}, ${middle[1].toFixed(4)}`}
                  </span>
                </button>
              </li>
            );
          })}
        </ol>
      </div>
    </figure>
  );
}
